#include "dagathlon/graph/meek.hpp"

#include <algorithm>

namespace dagathlon {

namespace {

// Each rule asks whether the undirected edge a – b must be a → b.

// c → a with c and b not adjacent: b → a would make a new v-structure.
bool rule1(const Pdag& g, std::size_t a, std::size_t b) { return !is_subset(g.parents[a], g.adjacent[b]); }

// a → c → b: b → a would close a cycle.
bool rule2(const Pdag& g, std::size_t a, std::size_t b) { return intersects(g.children[a], g.parents[b]); }

// a – c → b and a – d → b with c and d not adjacent: b → a would force the v-structure c → a ← d.
bool rule3(const Pdag& g, std::size_t a, std::size_t b) {
  BitSet between(g.size(), g.neighbours[a]);
  intersect(between, g.parents[b]);
  bool found = false;
  for_each(between, [&](std::size_t c) {
    BitSet others = between;
    others.reset(c);
    found = found || !is_subset(others, g.adjacent[c]);
  });
  return found;
}

// a – d → c → b with a adjacent to c, but b not to d: b → a would force a → d and so a cycle.
bool rule4(const Pdag& g, std::size_t a, std::size_t b) {
  BitSet into_b(g.size(), g.parents[b]);
  intersect(into_b, g.adjacent[a]);
  if (!any(into_b)) return false;
  BitSet starts(g.size(), g.neighbours[a]);
  subtract(starts, g.adjacent[b]);
  bool found = false;
  for_each(starts, [&](std::size_t d) { found = found || intersects(g.children[d], into_b); });
  return found;
}

bool must_be_directed(const Pdag& g, std::size_t a, std::size_t b) {
  return rule1(g, a, b) || rule2(g, a, b) || rule3(g, a, b) || rule4(g, a, b);
}

// Directs an edge and marks the nodes at which an undirected edge may fall under a rule by it.
void direct(Pdag& g, std::size_t from, std::size_t to, BitSet& stale) {
  g.direct(from, to);
  stale.set(from);
  stale.set(to);
  BitSet over_rule4(g.size(), g.neighbours[from]);
  intersect(over_rule4, g.adjacent[to]);
  unite(stale, over_rule4);
}

void close(Pdag& g, BitSet& stale) {
  for (std::size_t a = first(stale); a != no_node; a = first(stale)) {
    stale.reset(a);
    const BitSet neighbours(g.size(), g.neighbours[a]);
    for_each(neighbours, [&](std::size_t b) {
      if (must_be_directed(g, a, b)) direct(g, a, b, stale);
      else if (must_be_directed(g, b, a)) direct(g, b, a, stale);
    });
  }
}

}  // namespace

void close_under_meek(Pdag& pdag) {
  BitSet stale(pdag.size());
  for (std::size_t i = 0; i < pdag.size(); ++i) stale.set(i);
  close(pdag, stale);
}

std::optional<std::size_t> close_with_knowledge(Pdag& pdag, std::span<const DirectedEdge> edges) {
  close_under_meek(pdag);
  BitSet stale(pdag.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto [from, to] = edges[k];
    if (pdag.parents.test(from, to)) return k;
    if (!pdag.neighbours.test(from, to)) continue;
    direct(pdag, from, to, stale);
    close(pdag, stale);
  }
  return std::nullopt;
}

MarkedGraph interventional_essential_graph(const MarkedGraph& dag, std::span<const BitSet> targets) {
  Pdag result(pattern(dag));
  for (std::size_t to = 0; to < dag.size(); ++to)
    for_each(dag.parents(to), [&](std::size_t from) {
      const bool told_apart =
          std::ranges::any_of(targets, [&](const BitSet& target) { return target.test(from) != target.test(to); });
      if (told_apart && result.neighbours.test(from, to)) result.direct(from, to);
    });
  close_under_meek(result);
  return result.graph();
}

}  // namespace dagathlon
