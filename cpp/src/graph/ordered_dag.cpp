#include "dagathlon/graph/ordered_dag.hpp"

#include <algorithm>

#include "dagathlon/graph/dag.hpp"

namespace dagathlon {

OrderedDag::OrderedDag(const MarkedGraph& dag)
    : parents_(dag.parent_rows()),
      children_(dag.child_rows()),
      order_(topological_order(dag)),
      place_(dag.size()),
      waiting_(dag.size()) {
  for (std::size_t k = 0; k < order_.size(); ++k) place_[order_[k]] = k;
}

std::size_t OrderedDag::latest_parent(std::size_t node) const {
  std::size_t latest = no_node;
  for_each(parents_[node], [&](std::size_t parent) {
    if (latest == no_node || place_[parent] > place_[latest]) latest = parent;
  });
  return latest;
}

bool OrderedDag::make(const Change& change) {
  put(change.come, change.go);
  if (stand_in_order(change.come)) return true;
  put(change.go, change.come);
  return false;
}

void OrderedDag::put(std::span<const DirectedEdge> come, std::span<const DirectedEdge> go) {
  for (const auto& [from, to] : go) {
    parents_.reset(to, from);
    children_.reset(from, to);
  }
  for (const auto& [from, to] : come) {
    parents_.set(to, from);
    children_.set(from, to);
  }
}

// Arcs against the order put its nodes between the first and the last of them in doubt, and no others:
// whoever leaves this part along the arcs does not come back.
bool OrderedDag::stand_in_order(std::span<const DirectedEdge> arcs) {
  std::size_t first = size();
  std::size_t last = 0;
  for (const auto& [from, to] : arcs) {
    if (place_[from] < place_[to]) continue;
    first = std::min(first, place_[to]);
    last = std::max(last, place_[from]);
  }
  return first > last || sort(first, last);
}

bool OrderedDag::sort(std::size_t first, std::size_t last) {
  const auto inside = [&](std::size_t node) { return first <= place_[node] && place_[node] <= last; };
  std::vector<std::size_t> found;
  for (std::size_t k = first; k <= last; ++k) {
    const std::size_t node = order_[k];
    waiting_[node] = 0;
    for_each(parents_[node], [&](std::size_t parent) { waiting_[node] += inside(parent); });
    if (waiting_[node] == 0) found.push_back(node);
  }
  for (std::size_t k = 0; k < found.size(); ++k)
    for_each(children_[found[k]], [&](std::size_t child) {
      if (inside(child) && --waiting_[child] == 0) found.push_back(child);
    });
  if (found.size() != last - first + 1) return false;
  for (std::size_t k = 0; k < found.size(); ++k) {
    order_[first + k] = found[k];
    place_[found[k]] = first + k;
  }
  return true;
}

}  // namespace dagathlon
