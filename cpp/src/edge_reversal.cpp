#include "dagathlon/edge_reversal.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "dagathlon/log_weights.hpp"

namespace dagathlon {

namespace {

using Arc = std::pair<std::size_t, std::size_t>;

std::vector<Arc> arcs_of(const BitMatrix& parents) {
  std::vector<Arc> arcs;
  for (std::size_t child = 0; child < parents.size(); ++child)
    for_each(parents[child], [&](std::size_t parent) { arcs.emplace_back(parent, child); });
  return arcs;
}

// Parents that a table allows to a node whose descendants they must not be.
AllowedParents acyclic_parents(const ParentTable& table, const BitMatrix& parents, std::size_t node) {
  const std::size_t n = parents.size();
  BitSet below(n);
  std::vector<std::size_t> open{node};
  below.set(node);
  while (!open.empty()) {
    const std::size_t x = open.back();
    open.pop_back();
    for (std::size_t child = 0; child < n; ++child)
      if (!below.test(child) && parents.test(child, x)) {
        below.set(child);
        open.push_back(child);
      }
  }
  AllowedParents allowed = table.none();
  for (std::size_t x = 0; x < n; ++x)
    if (!below.test(x)) table.admit(allowed, x);
  return allowed;
}

// The parent sets of one node when the other one is made its parent in an otherwise given DAG.
struct NewParents {
  AllowedParents all;
  AllowedParents without;
  double log_weight;

  NewParents(const ParentTable& table, const BitMatrix& parents, std::size_t node, std::size_t parent)
      : all(acyclic_parents(table, parents, node)), without(all), log_weight(minus_infinity) {
    if (!table.knows(parent)) return;
    table.bar(without, parent);
    log_weight = table.log_difference(all, without);
  }
};

bool holds(const ParentTable& table, ConstRow parents) {
  std::vector<std::size_t> members;
  for_each(parents, [&](std::size_t parent) { members.push_back(parent); });
  return table.find(members).column != ParentTable::no_slot;
}

void set_parents(BitMatrix& parents, std::size_t node, const std::vector<std::size_t>& chosen) {
  for (Word& word : parents[node]) word = 0;
  for (const std::size_t parent : chosen) parents.set(node, parent);
}

}  // namespace

bool reverse_edge(const ParentTables& tables, BitMatrix& parents, Stream& random) {
  const std::vector<Arc> arcs = arcs_of(parents);
  if (arcs.empty()) return false;
  const auto [from, to] = arcs[random.below(arcs.size())];
  const ParentTable& head = tables[from];
  const ParentTable& tail = tables[to];
  if (!holds(head, parents[from]) || !holds(tail, parents[to])) return false;

  BitMatrix orphaned = parents;
  set_parents(orphaned, from, {});
  set_parents(orphaned, to, {});
  const NewParents forward(head, orphaned, from, to);
  if (forward.log_weight == minus_infinity) return false;
  const NewParents backward(tail, orphaned, to, from);

  BitMatrix half_back = orphaned;
  for_each(parents[to], [&](std::size_t x) { half_back.set(to, x); });
  const double back = head.value(acyclic_parents(head, half_back, from));

  BitMatrix proposed = std::move(orphaned);
  set_parents(proposed, from, head.parents(head.draw_outside(forward.all, forward.without, random)));
  const AllowedParents left = acyclic_parents(tail, proposed, to);
  const double there = tail.value(left);
  if (there == minus_infinity) return false;
  set_parents(proposed, to, tail.parents(tail.choose(left, random)));

  const double edges = std::log(static_cast<double>(arcs.size()) / static_cast<double>(arcs_of(proposed).size()));
  const double gain = edges + forward.log_weight + there - backward.log_weight - back;
  if (!(std::log(random.uniform()) < gain)) return false;
  parents = std::move(proposed);
  return true;
}

}  // namespace dagathlon
