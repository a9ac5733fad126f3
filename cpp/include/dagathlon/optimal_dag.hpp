// The DAG of highest score that chooses each node's parents from a list.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "dagathlon/parent_sets.hpp"

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

// One term of a fractional solution: how much of a parent set a node takes.
struct Share {
  std::size_t child;
  std::vector<std::size_t> parents;
  double value;
};

// Sets of nodes of which a solution leaves out a rule of acyclic graphs: some node of the set has no
// parent in it. Found by growing each node and pair greedily; the most violated ones first, each once.
// None is found in a solution that is a DAG; of others some may be missed.
std::vector<std::vector<std::size_t>> violated_clusters(std::size_t nodes, std::span<const Share> shares,
                                                        std::size_t most);

}  // namespace dagathlon
