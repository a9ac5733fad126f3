#include "dagathlon/graph/pdag.hpp"

namespace dagathlon {

Pdag::Pdag(const MarkedGraph& graph)
    : adjacent(graph.adjacency_rows()),
      parents(graph.parent_rows()),
      children(graph.child_rows()),
      neighbours(graph.neighbour_rows()) {}

bool is_pdag(const MarkedGraph& graph) {
  const bool bidirected = intersects(graph.far_words(Mark::arrow), graph.near_words(Mark::arrow));
  return !bidirected && !any(graph.far_words(Mark::circle));
}

bool is_undirected(const MarkedGraph& graph) {
  return !any(graph.far_words(Mark::arrow)) && !any(graph.far_words(Mark::circle));
}

MarkedGraph skeleton(const MarkedGraph& graph) {
  const std::size_t n = graph.size();
  return MarkedGraph::from_rows(BitMatrix(n), BitMatrix(n), graph.adjacency_rows());
}

MarkedGraph pattern(const MarkedGraph& graph) {
  Pdag result(skeleton(graph));
  for (std::size_t collider = 0; collider < graph.size(); ++collider) {
    const BitSet parents = graph.parents(collider);
    for_each(parents, [&](std::size_t parent) {
      BitSet others = parents;
      others.reset(parent);
      if (!is_subset(others, result.adjacent[parent])) result.direct(parent, collider);
    });
  }
  return result.graph();
}

std::vector<VStructure> v_structures(const MarkedGraph& graph) {
  const std::size_t n = graph.size();
  const BitMatrix adjacent = graph.adjacency_rows();
  std::vector<VStructure> result;
  for (std::size_t collider = 0; collider < n; ++collider) {
    const ConstRow into = graph.at_near_end(Mark::arrow, collider);
    for_each(into, [&](std::size_t x) {
      BitSet apart(n, into);
      subtract(apart, adjacent[x]);
      for_each(apart, [&](std::size_t y) {
        if (x < y) result.push_back({x, collider, y});
      });
    });
  }
  return result;
}

}  // namespace dagathlon
