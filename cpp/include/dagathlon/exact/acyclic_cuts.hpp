// Inequalities that every DAG keeps and fractional choices of parents violate.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/score/parent_sets.hpp"

namespace dagathlon {

// One term of a fractional solution: how much of a parent set a node takes.
struct Share {
  std::size_t child;
  std::vector<std::size_t> parents;
  double value;
};

// A sum over what some nodes choose that no DAG has above `most`.
//
// Without a table: one for each node with at least `need` parents among the nodes. A DAG has some order,
// and the first `need` of them have fewer, so `most` is the number of nodes less `need` (k-clusters, Cussens
// 2011; clusters, Jaakkola et al. 2010, for need 1).
// With a table: entry [i << n | T] counts where node i of n has T, as bits, of them as parents.
struct Cut {
  std::vector<std::size_t> nodes;
  std::size_t need = 1;
  std::vector<double> table;
  double most = 0;

  static Cut of_cluster(std::vector<std::size_t> nodes, std::size_t need);
  // From what the nodes of each set may count together, in whatever order they come; 0 for none.
  static Cut of_heights(std::vector<std::size_t> nodes, std::span<const double> heights);

  friend bool operator==(const Cut&, const Cut&) = default;
  friend auto operator<=>(const Cut&, const Cut&) = default;
};

// A cut with what a solution has above its limit.
struct Violated {
  Cut cut;
  double by;
};

// Nodes of which each leads to each other one by shares: what a cut can need lies within such a group.
std::vector<std::vector<std::size_t>> linked_groups(std::size_t nodes, std::span<const Share> shares);

// Violated k-clusters within a group, the most violated first. Of clusters with need 1 one is found
// whenever there is one, unless there are more than 64 nodes or the search takes very many steps.
std::vector<Violated> violated_clusters(const std::vector<std::size_t>& group, std::span<const Share> shares,
                                        std::size_t need, std::size_t most);

// Violated facets of the polytope of DAGs on four nodes, but for clusters, the most violated first.
std::vector<Violated> violated_facets(const std::vector<std::size_t>& group, std::span<const Share> shares,
                                      std::size_t most);

// Violated cuts of the convex hull of the DAGs on groups of up to so many nodes (at most 15), the most violated
// first. Groups are grown around undecided nodes; of each the cut is found that is violated most.
std::vector<Violated> violated_hulls(std::size_t nodes, std::span<const Share> shares, std::size_t size,
                                     std::size_t most);

}  // namespace dagathlon
