#include "dagathlon/orientation_state.hpp"

#include <algorithm>
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
      else if (!locked(a, b) && !locked(b, a)) out_.reset(a, b);
    });
}

// From both ends in turn: mostly few nodes lie below the one or above the other, and the smaller side decides.
bool OrientationState::reaches(std::size_t from, std::size_t to) const {
  if (from == to) return true;
  // Most questions end where they begin.
  if (std::ranges::none_of(around(from), [&](std::size_t next) { return directed(from, next); })) return false;
  if (std::ranges::none_of(around(to), [&](std::size_t before) { return directed(before, to); })) return false;
  struct Side {
    BitSet seen;
    std::vector<std::size_t> pending;
  };
  Side below{BitSet(size()), {from}};
  Side above{BitSet(size()), {to}};
  below.seen.set(from);
  above.seen.set(to);
  // Goes one node further on a side; whether it meets the other one.
  const auto meets = [this](Side& side, const Side& other, bool downwards) {
    const std::size_t node = side.pending.back();
    side.pending.pop_back();
    for (const std::size_t next : around(node)) {
      if (side.seen.test(next) || !(downwards ? directed(node, next) : directed(next, node))) continue;
      if (other.seen.test(next)) return true;
      side.seen.set(next);
      side.pending.push_back(next);
    }
    return false;
  };
  while (!below.pending.empty() && !above.pending.empty())
    if (meets(below, above, true) || meets(above, below, false)) return true;
  return false;
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
