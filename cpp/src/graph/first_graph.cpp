#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "dagathlon/undirected/decomposable_chain.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

struct WeighedEdge {
  double gain;
  std::size_t i, j;
};

// Edges that gain something between nodes that nothing else joins, the best first.
std::vector<WeighedEdge> gaining_edges(const DecomposableTarget& target) {
  const std::size_t n = target.size();
  std::vector<double> alone(n);
  for (std::size_t i = 0; i < n; ++i) alone[i] = target.score().log_marginal(Nodes(&i, 1));
  std::vector<WeighedEdge> edges;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      pulse::beat();
      const std::size_t pair[] = {i, j};
      const double gain = target.score().log_marginal(pair) - alone[i] - alone[j] + target.prior().edge_log_odds;
      if (gain > 0) edges.push_back({gain, i, j});
    }
  std::ranges::stable_sort(edges, std::greater{}, &WeighedEdge::gain);
  return edges;
}

}  // namespace

BitMatrix first_graph(const DecomposableTarget& target, FirstGraph which) {
  BitMatrix graph(target.size());
  if (which == FirstGraph::empty || target.prior().max_clique < 2) return graph;
  std::vector<std::size_t> root(target.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t node) {
    while (root[node] != node) node = root[node] = root[root[node]];
    return node;
  };
  for (const WeighedEdge& edge : gaining_edges(target)) {
    const std::size_t a = find(edge.i), b = find(edge.j);
    if (a == b) continue;
    root[a] = b;
    graph.set(edge.i, edge.j);
    graph.set(edge.j, edge.i);
  }
  return graph;
}

}  // namespace dagathlon
