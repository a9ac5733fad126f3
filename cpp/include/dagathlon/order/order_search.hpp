// Searches over orders of the nodes: BOSS and GRaSP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/search/hill_climbing.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

// The orders from which a search starts: that of the nodes, then those that are given, then random ones
// until there are `count` without the given ones.
struct OrderStarts {
  std::size_t count;
  std::vector<std::vector<std::size_t>> given;
  std::uint64_t seed;
};

struct Boss {
  // Whether a backward phase of GES follows, after which the search goes on from its result.
  bool backward;
  // Whether nodes are moved in random order.
  bool random;
  OrderStarts starts;
};

// Best order score search: each node in turn goes to the place in the order where the score is best.
SearchResult boss(Score& score, const SearchLimits& limits, const Boss& how);

struct Grasp {
  // How many tucks in a row may leave the score as it is, and how many of them, from the first on, may
  // be of edges that are not covered, and of edges that are not singular.
  std::size_t depth;
  std::size_t uncovered_depth;
  std::size_t nonsingular_depth;
  OrderStarts starts;
};

// Greedy relaxations of the sparsest permutation (Lam, Andrews and Ramsey 2022): tucks of edges.
SearchResult grasp(Score& score, const SearchLimits& limits, const Grasp& how);

}  // namespace dagathlon
