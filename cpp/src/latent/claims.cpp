#include "dagathlon/latent/claims.hpp"

#include <utility>
#include <vector>

#include "dagathlon/graph/ancestors.hpp"

namespace dagathlon {

StandingClaims::StandingClaims(const MarkedGraph& graph)
    : graph_(graph), adjacent_(graph.adjacency_rows()), ancestors_(ancestor_rows(graph)) {}

// A path never turns back at once on the edge it came by: that would open colliders by edges which are
// not known to be directed.
bool StandingClaims::separated(std::size_t x, std::size_t y, Nodes given) const {
  BitSet blocked(size()), open(size());
  for (const std::size_t v : given) {
    blocked.set(v);
    unite(open, ancestors_[v]);
  }
  BitMatrix seen(size());
  std::vector<std::pair<std::size_t, std::size_t>> pending;
  const auto visit = [&](std::size_t from, std::size_t to) {
    if (seen.test(from, to)) return;
    seen.set(from, to);
    pending.emplace_back(from, to);
  };
  for_each(adjacent_[x], [&](std::size_t b) { visit(x, b); });
  while (!pending.empty()) {
    const auto [a, b] = pending.back();
    pending.pop_back();
    if (b == y) return false;
    const bool arrow = graph_.mark(a, b) == Mark::arrow;
    for_each(adjacent_[b], [&, a = a, b = b](std::size_t c) {
      const bool collider = arrow && graph_.mark(c, b) == Mark::arrow;
      if (c != a && (collider ? open.test(b) : !blocked.test(b))) visit(b, c);
    });
  }
  return true;
}

}  // namespace dagathlon
