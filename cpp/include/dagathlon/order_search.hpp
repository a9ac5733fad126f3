// Searches over orders of the nodes: BOSS and GRaSP.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dagathlon/arc_moves.hpp"
#include "dagathlon/hill_climbing.hpp"
#include "dagathlon/marked_graph.hpp"
#include "dagathlon/score.hpp"

namespace dagathlon {

struct Boss {
  // Whether a backward phase of GES follows, after which the search goes on from its result.
  bool backward;
  // The first start has the order of the nodes, all others are random.
  std::size_t starts;
  // Whether nodes are moved in random order.
  bool random;
  std::uint64_t seed;
};

// Best order score search: each node in turn goes to the place in the order where the score is best.
SearchResult boss(Score& score, const SearchLimits& limits, const Boss& how);

struct Grasp {
  // How many tucks in a row may leave the score as it is, and how many of them, from the first on, may
  // be of edges that are not covered, and of edges that are not singular.
  std::size_t depth;
  std::size_t uncovered_depth;
  std::size_t nonsingular_depth;
  std::size_t starts;
  std::uint64_t seed;
};

// Greedy relaxations of the sparsest permutation (Lam, Andrews and Ramsey 2022): tucks of edges.
SearchResult grasp(Score& score, const SearchLimits& limits, const Grasp& how);

}  // namespace dagathlon
