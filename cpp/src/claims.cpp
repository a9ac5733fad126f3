#include "dagathlon/claims.hpp"

#include "dagathlon/ancestors.hpp"

namespace dagathlon {

namespace {

// Tails in place of circles: arrows stay where they are.
MarkedGraph with_tails(const MarkedGraph& graph) {
  const auto reading = [](Mark mark) { return mark == Mark::circle ? Mark::tail : mark; };
  MarkedGraph result(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i)
    for_each(graph.adjacencies(i), [&](std::size_t j) {
      result.set_edge(i, reading(graph.mark(j, i)), j, reading(graph.mark(i, j)));
    });
  return result;
}

}  // namespace

StandingClaims::StandingClaims(const MarkedGraph& graph)
    : walks_(with_tails(graph)), ancestors_(ancestor_rows(graph)) {}

bool StandingClaims::separated(std::size_t x, std::size_t y, Nodes given) const {
  const std::size_t n = size();
  BitSet starts(n), targets(n), all(n), colliders(n);
  starts.set(x);
  targets.set(y);
  for (std::size_t v = 0; v < n; ++v) all.set(v);
  BitSet noncolliders = all;
  for (const std::size_t v : given) {
    unite(colliders, ancestors_[v]);
    noncolliders.reset(v);
  }
  return !walks_.reach(starts, targets, all, colliders, noncolliders).contains(y);
}

}  // namespace dagathlon
