// The DAG of highest score that chooses each node's parents from a list.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/score/parent_sets.hpp"

namespace dagathlon {

// For each node the place of its parents in its list.
struct Choice {
  double score;
  std::vector<std::size_t> of_node;
};

inline constexpr std::size_t max_dynamic_nodes = 26;

// The best choice without a cycle among all, by dynamic programming over sets of nodes (Silander and
// Myllymäki 2006): 2^n numbers. Minus infinity if every choice has a cycle. Lists are sorted from the
// best set on; there are at most max_dynamic_nodes nodes.
Choice best_by_sets(const ParentSets& sets);

}  // namespace dagathlon
