#include "dagathlon/constraint/orientation_state.hpp"

#include <utility>
#include <vector>

namespace dagathlon {

void OrientationState::lock_knowledge(const BitMatrix& forbidden, const BitMatrix& required) {
  for (std::size_t a = 0; a < size(); ++a)
    for (const std::size_t b : around(a)) {
      const bool only_forward = forbidden.test(b, a) && !forbidden.test(a, b);
      if (required.test(a, b) || (only_forward && !required.test(b, a))) lock(a, b);
    }
}

void OrientationState::direct_as_claimed(const BitMatrix& claims) {
  for (std::size_t a = 0; a < size(); ++a)
    for_each(claims[a], [&](std::size_t b) {
      if (!claims.test(b, a)) direct(a, b);
      else if (!locked(a, b) && !locked(b, a)) change(a, b, false);
    });
}

void OrientationState::change(std::size_t from, std::size_t to, bool leaves) {
  if (out_.test(from, to) == leaves) return;
  // The edge was or becomes directed the one way if it does not lead back, and the other way if it does.
  const bool back = out_.test(to, from);
  const NeighbourLists& lists = skeleton_->lists;
  const auto [tail, head] = back ? std::pair(to, from) : std::pair(from, to);
  if (leaves == back) {
    children_.remove(lists, tail, head);
    parents_.remove(lists, head, tail);
  } else {
    children_.add(lists, tail, head);
    parents_.add(lists, head, tail);
  }
  if (leaves) out_.set(from, to);
  else out_.reset(from, to);
}

// From both ends in turn: mostly few nodes lie below the one or above the other, and the smaller side decides.
bool OrientationState::reaches(std::size_t from, std::size_t to) const {
  if (from == to) return true;
  const NeighbourLists& lists = skeleton_->lists;
  // Most questions end where they begin.
  if (children_.of(lists, from).empty() || parents_.of(lists, to).empty()) return false;
  // Nodes that were seen, in the order in which they were; those behind `next` are still to be left.
  struct Side {
    BitSet& seen;
    std::vector<std::size_t> nodes;
    std::size_t next = 0;
    void see(std::size_t node) {
      seen.set(node);
      nodes.push_back(node);
    }
    bool ended() const { return next == nodes.size(); }
  };
  Side below{below_, {}};
  Side above{above_, {}};
  below.see(from);
  above.see(to);
  // Goes one node further on a side; whether it meets the other one.
  const auto meets = [&lists](Side& side, const Side& other, const SomeNeighbours& onwards) {
    for (const std::size_t node : onwards.of(lists, side.nodes[side.next++])) {
      if (side.seen.test(node)) continue;
      if (other.seen.test(node)) return true;
      side.see(node);
    }
    return false;
  };
  bool met = false;
  while (!met && !below.ended() && !above.ended())
    met = meets(below, above, children_) || meets(above, below, parents_);
  for (const Side& side : {below, above})
    for (const std::size_t node : side.nodes) side.seen.reset(node);
  return met;
}

MarkedGraph OrientationState::graph() const {
  MarkedGraph result(size());
  for (std::size_t a = 0; a < size(); ++a)
    for (const std::size_t b : around(a)) {
      if (b < a) continue;
      if (undirected(a, b)) result.set_undirected(a, b);
      else if (directed(a, b)) result.set_directed(a, b);
      else if (directed(b, a)) result.set_directed(b, a);
      else result.set_edge(a, Mark::arrow, b, Mark::arrow);
    }
  return result;
}

}  // namespace dagathlon
