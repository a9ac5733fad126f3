// A graph from what was learned around each node: symmetry, neighbours, colliders, rules.
#pragma once

#include <vector>

#include "dagathlon/constraint/colliders.hpp"
#include "dagathlon/constraint/markov_blanket.hpp"
#include "dagathlon/constraint/neighbourhood.hpp"

namespace dagathlon {

// For each node its blanket or neighbourhood.
using NodeSets = std::vector<NodeVector>;

// Keeps y around x only where x is also around y.
NodeSets symmetric(const NodeSets& sets);

NodeSets markov_blankets(IndependenceTest& test, const BlanketOptions& options);
// As each node sees them: not yet symmetric.
NodeSets neighbourhoods(IndependenceTest& test, const NeighbourOptions& options);
// Each neighbourhood with the neighbours of the neighbours: a superset of the blanket.
NodeSets with_neighbours(const NodeSets& neighbours);

// The members of each blanket that no set inside the smaller of the two blankets separates from it,
// and the only member of a blanket.
NodeSets neighbours_in_blankets(IndependenceTest& test, const NodeSets& blankets, const NeighbourOptions& options);

BitMatrix adjacency_of(const NodeSets& neighbours);

struct DirectionOptions {
  double alpha = 0.05;
  std::size_t max_given = no_node;
  // Directed edges that must not, and must, be there, from row to column; empty for none.
  BitMatrix forbidden;
  BitMatrix required;
};

// Directs x → middle ← y where x and y depend on each other given the middle and any set inside the
// smaller of their blankets, most significant ones first, then applies Meek's rules. What would
// contradict an earlier direction or close a cycle is left out.
MarkedGraph directed_by_blankets(IndependenceTest& test, const NodeSets& blankets, const BitMatrix& adjacent,
                                 const DirectionOptions& options);

}  // namespace dagathlon
