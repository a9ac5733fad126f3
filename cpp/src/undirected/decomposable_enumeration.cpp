#include "dagathlon/undirected/decomposable_enumeration.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

BitMatrix graph_of(std::uint64_t edges, std::size_t n) {
  BitMatrix adjacent(n);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j, ++pair)
      if (edges >> pair & 1U) {
        adjacent.set(i, j);
        adjacent.set(j, i);
      }
  return adjacent;
}

}  // namespace

EnumeratedGraphs decomposable_graphs(const DecomposableTarget& target) {
  const std::size_t n = target.size();
  EnumeratedGraphs result;
  const std::uint64_t all = std::uint64_t{1} << (n < 2 ? 0 : n * (n - 1) / 2);
  for (std::uint64_t edges = 0; edges < all; ++edges) {
    pulse::progress(edges, all);
    const auto tree = clique_tree(graph_of(edges, n));
    const double weight = tree ? target.of(*tree) : -HUGE_VAL;
    if (std::isinf(weight)) continue;
    result.edges.push_back(edges);
    result.log_weights.push_back(weight);
  }
  return result;
}

SquareMatrix mean_precision(const GaussianCliques& cliques, const EnumeratedGraphs& graphs) {
  SquareMatrix mean(cliques.size());
  double total = 0;
  const double largest = *std::ranges::max_element(graphs.log_weights);
  for (std::size_t k = 0; k < graphs.edges.size(); ++k) {
    pulse::progress(k, graphs.edges.size());
    const double weight = std::exp(graphs.log_weights[k] - largest);
    total += weight;
    // Below that a graph changes no digit.
    if (weight < 1e-20) continue;
    const SquareMatrix own = cliques.precision(*clique_tree(graph_of(graphs.edges[k], cliques.size())));
    for (std::size_t c = 0; c < own.cells().size(); ++c) mean.cells()[c] += weight * own.cells()[c];
  }
  for (double& cell : mean.cells()) cell /= total;
  return mean;
}

}  // namespace dagathlon
