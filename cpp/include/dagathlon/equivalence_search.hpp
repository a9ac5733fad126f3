// Greedy search over equivalence classes of DAGs: GES, FGES and GIES.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/bits.hpp"
#include "dagathlon/class_state.hpp"
#include "dagathlon/marked_graph.hpp"
#include "dagathlon/score.hpp"

namespace dagathlon {

struct ClassSearch {
  // Phases in the order in which they are run.
  std::vector<Step> phases;
  // Whether the phases are repeated until none changes the class.
  bool iterate;
  // Largest number of edges at a node that an insertion may lead to.
  std::size_t max_degree;
  // Pairs whose scores show no dependence in the empty graph are never joined.
  bool faithful;
  // Row i: nodes j such that the arc i → j is forbidden or required.
  BitMatrix forbidden;
  BitMatrix required;
  // Experiments; empty for observation alone.
  std::vector<BitSet> targets;
};

struct ClassSearchResult {
  MarkedGraph graph;
  double score;
  std::size_t steps;
};

// Starts at the class of a DAG that has the required arcs and no forbidden ones.
ClassSearchResult search_classes(Score& score, const MarkedGraph& start, const ClassSearch& how);

}  // namespace dagathlon
