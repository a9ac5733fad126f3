// All decomposable graphs of few nodes, one after another, with their weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/undirected/clique_score.hpp"

namespace dagathlon {

struct EnumeratedGraphs {
  static constexpr std::size_t max_nodes = 7;
  // A bit for each pair of nodes, in the order (0, 1), (0, 2), …, (1, 2), ….
  std::vector<std::uint64_t> edges;
  std::vector<double> log_weights;
};

// The decomposable graphs that the prior allows.
EnumeratedGraphs decomposable_graphs(const DecomposableTarget& target);

// The posterior mean of the precision matrix over them.
SquareMatrix mean_precision(const GaussianCliques& cliques, const EnumeratedGraphs& graphs);

}  // namespace dagathlon
