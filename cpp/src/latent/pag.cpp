#include "dagathlon/latent/pag.hpp"

#include <vector>

#include "dagathlon/latent/ancestral.hpp"
#include "dagathlon/latent/orientation.hpp"
#include "dagathlon/graph/separation.hpp"

namespace dagathlon {

namespace {

// Directs the circle component along a maximum cardinality search: where the component is chordal,
// this makes no unshielded collider and no cycle.
void direct_circle_component(MarkedGraph& graph) {
  const std::size_t n = graph.size();
  const BitMatrix circles = circle_rows(graph);
  std::vector<std::size_t> visited_neighbours(n, 0);
  BitSet visited(n);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t v = no_node;
    for (std::size_t i = 0; i < n; ++i)
      if (!visited.test(i) && (v == no_node || visited_neighbours[i] > visited_neighbours[v])) v = i;
    visited.set(v);
    for_each(circles[v], [&](std::size_t w) {
      ++visited_neighbours[w];
      if (!visited.test(w)) graph.set_directed(v, w);
    });
  }
}

// a o-> b and a -o b become a -> b.
void direct_half_circles(MarkedGraph& graph) {
  for (std::size_t a = 0; a < graph.size(); ++a)
    for_each(graph.adjacencies(a), [&](std::size_t b) {
      const Mark at_a = graph.mark(b, a), at_b = graph.mark(a, b);
      if ((at_a == Mark::circle && at_b == Mark::arrow) || (at_a == Mark::tail && at_b == Mark::circle))
        graph.set_directed(a, b);
    });
}

}  // namespace

MarkedGraph pag_of_mag(const MarkedGraph& mag) {
  const SeparationOracle oracle(mag);
  const SeparatorLookup lookup = [&](std::size_t a, std::size_t c, std::size_t b) {
    return oracle.in_separating_set(a, c, b);
  };
  MarkedGraph pag = all_circles(mag);
  orient_colliders(pag, lookup);
  orient(pag, lookup);
  return pag;
}

MarkedGraph directed_circles(const MarkedGraph& graph) {
  MarkedGraph result = graph;
  direct_half_circles(result);
  direct_circle_component(result);
  return result;
}

std::optional<MarkedGraph> mag_of_pag(const MarkedGraph& graph) {
  MarkedGraph mag = directed_circles(graph);
  if (!is_mag(mag) || pag_of_mag(mag) != graph) return std::nullopt;
  return mag;
}

bool is_pag(const MarkedGraph& graph) { return mag_of_pag(graph).has_value(); }

}  // namespace dagathlon
