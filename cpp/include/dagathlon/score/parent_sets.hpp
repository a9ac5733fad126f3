// Candidate parent sets of each node with their scores: what searches over orders and exact searches
// choose from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

struct ParentSet {
  double score;
  // In increasing order.
  std::vector<std::size_t> parents;
};

// For each node its candidates, from the best on; of equal scores the smaller set comes first.
using ParentSets = std::vector<std::vector<ParentSet>>;

struct Enumeration {
  ParentSets sets;
  // Families that were scored.
  std::size_t scored = 0;
};

// All parent sets within the limits. With `prune`, without those that can be in no best DAG because a
// subset scores as well: supersets that the score bounds below a subset are not scored at all.
Enumeration enumerate_parent_sets(Score& score, const SearchLimits& limits, bool prune);

// What guides the choice of parent sets to score next: a score whose value for a union of parent sets
// is nearly known from theirs.
struct Guide {
  Score& score;
  // Penalty per parameter and numbers of levels of a discrete score; no levels for a linear one.
  double penalty;
  std::vector<std::size_t> levels;

  double size_of(Nodes members) const;
  // BIC* of the union of parents whose own scores are known (Scanagatta et al. 2015).
  double of_union(std::size_t child, double first, double first_size, double second, double second_size,
                  double none) const;
};

// How far the lists of one node go beyond single parents.
struct Budget {
  // Sets of two parents and more.
  std::size_t sets;
  // Configurations of parents and levels of the child in all tables of the node, those of single parents among
  // them; a table of a linear score counts as 2.
  double work;
  // Levels that are counted in that.
  std::vector<std::size_t> levels;

  double size_of(Nodes members) const;
};

// Independence selection: of each node the sets of two parents and more within the budget, the most promising by
// the guide first, and all smaller ones. At the deadline the lists are what they are.
Enumeration explore_parent_sets(Score& score, const Guide& guide, const SearchLimits& limits, const Budget& budget);

// Nodes of which each can be an ancestor of each other one, given what they choose from: a best DAG is
// made of best DAGs of these groups.
std::vector<std::vector<std::size_t>> components(const ParentSets& sets);

// Sorts from the best on and leaves out sets of which a subset scores as well.
void keep_undominated(std::vector<ParentSet>& candidates);

}  // namespace dagathlon
