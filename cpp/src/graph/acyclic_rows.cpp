#include "dagathlon/graph/acyclic_rows.hpp"

#include <algorithm>
#include <utility>

namespace dagathlon {

AcyclicRows::AcyclicRows(const MarkedGraph& dag)
    : parents_(dag.parent_rows()),
      children_(dag.child_rows()),
      ancestors_(dag.size()),
      descendants_(dag.size()),
      n_parents_(dag.size()) {
  for (std::size_t i = 0; i < size(); ++i) n_parents_[i] = count(parents_[i]);
  find_ancestors();
}

// Nodes in an order of the arcs pass on what they have.
void AcyclicRows::find_ancestors() {
  const std::size_t n = size();
  ancestors_ = BitMatrix(n);
  descendants_ = BitMatrix(n);
  std::vector<std::size_t> waiting(n);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i)
    if ((waiting[i] = n_parents_[i]) == 0) order.push_back(i);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t i = order[k];
    for_each(children_[i], [&](std::size_t child) {
      unite(ancestors_[child], ancestors_[i]);
      ancestors_.set(child, i);
      if (--waiting[child] == 0) order.push_back(child);
    });
  }
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::size_t i = order[k];
    for_each(parents_[i], [&](std::size_t parent) {
      unite(descendants_[parent], descendants_[i]);
      descendants_.set(parent, i);
    });
  }
}

bool AcyclicRows::reversible(std::size_t from, std::size_t to) const {
  // A longer path would enter `to` through another parent that descends from `from`.
  return !intersects(descendants_[from], parents_[to]);
}

void AcyclicRows::add(std::size_t from, std::size_t to) {
  ++n_parents_[to];
  parents_.set(to, from);
  children_.set(from, to);
  if (ancestors_.test(to, from)) return;
  BitSet above(size(), ancestors_[from]);
  above.set(from);
  BitSet below(size(), descendants_[to]);
  below.set(to);
  for_each(below, [&](std::size_t i) { unite(ancestors_[i], above); });
  for_each(above, [&](std::size_t i) { unite(descendants_[i], below); });
}

void AcyclicRows::remove(std::size_t from, std::size_t to) {
  --n_parents_[to];
  parents_.reset(to, from);
  children_.reset(from, to);
  if (!intersects(descendants_[from], parents_[to])) part(from, to);
}

// Only `from` and what is above it can lose descendants, only `to` and what is below it ancestors.
void AcyclicRows::part(std::size_t from, std::size_t to) {
  const std::vector<std::size_t> above = ordered(from, ancestors_[from]);
  const std::vector<std::size_t> below = ordered(to, descendants_[to]);
  for (std::size_t k = above.size(); k-- > 0;) {
    const Row row = descendants_[above[k]];
    std::ranges::fill(row, Word{0});
    unite(row, children_[above[k]]);
    for_each(children_[above[k]], [&](std::size_t child) { unite(row, descendants_[child]); });
  }
  for (const std::size_t i : below) {
    const Row row = ancestors_[i];
    std::ranges::fill(row, Word{0});
    unite(row, parents_[i]);
    for_each(parents_[i], [&](std::size_t parent) { unite(row, ancestors_[parent]); });
  }
}

// A node and others in an order of the arcs: whoever is above another has fewer ancestors.
std::vector<std::size_t> AcyclicRows::ordered(std::size_t node, ConstRow others) const {
  std::vector<std::pair<std::size_t, std::size_t>> counted{{count(ancestors_[node]), node}};
  for_each(others, [&](std::size_t i) { counted.emplace_back(count(ancestors_[i]), i); });
  std::ranges::sort(counted);
  std::vector<std::size_t> result;
  for (const auto& [ancestors, i] : counted) result.push_back(i);
  return result;
}

void AcyclicRows::reverse(std::size_t from, std::size_t to) {
  remove(from, to);
  add(to, from);
}

MarkedGraph AcyclicRows::graph() const { return MarkedGraph::from_rows(parents_, children_, BitMatrix(size())); }

}  // namespace dagathlon
