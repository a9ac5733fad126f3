#include "dagathlon/acyclic_rows.hpp"

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
  if (!intersects(descendants_[from], parents_[to])) find_ancestors();
}

void AcyclicRows::reverse(std::size_t from, std::size_t to) {
  --n_parents_[to];
  parents_.reset(to, from);
  children_.reset(from, to);
  find_ancestors();
  add(to, from);
}

MarkedGraph AcyclicRows::graph() const { return MarkedGraph::from_rows(parents_, children_, BitMatrix(size())); }

}  // namespace dagathlon
