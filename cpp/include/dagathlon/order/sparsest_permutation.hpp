// Greedy sparsest permutation: the DAG of an order by tests, made sparser by turning covered arcs.
//
// In the DAG of an order an earlier node is a parent of a later one unless they are independent given
// all others before the later one. Turning a covered arc leads to the DAG of another order that never
// has more arcs (Solus, Wang and Uhler 2021).
#pragma once

#include <cstddef>
#include <cstdint>

#include "dagathlon/test/independence.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

struct SparsestPermutation {
  double alpha;
  // Arcs turned in a row that leave the number of arcs as it is.
  std::size_t depth;
  // Arcs turned for good at most, in each start.
  std::size_t max_steps;
  std::size_t starts;
  // Orders drawn for each start; those of the sparsest DAGs are used.
  std::size_t draws;
  // Whether orders come from eliminating nodes of lowest degree in the graph of the pairs that depend
  // on each other given all the rest; otherwise they are random.
  bool by_degree;
  // Whether the best of all ways to a sparser DAG is taken rather than the first.
  bool take_sparsest;
  std::uint64_t seed;
};

struct SparsestPermutationResult {
  MarkedGraph dag;
  std::size_t steps;
};

SparsestPermutationResult sparsest_permutation(IndependenceTest& test, const SparsestPermutation& how);

}  // namespace dagathlon
