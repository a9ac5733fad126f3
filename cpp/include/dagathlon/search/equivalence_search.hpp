// Greedy search over equivalence classes of DAGs: GES, FGES, GIES and XGES.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/search/class_operators.hpp"
#include "dagathlon/search/class_state.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

struct ClassSearch {
  // Phases in the order in which they are run.
  std::vector<Step> phases;
  // Whether the phases are repeated until none changes the class.
  bool iterate;
  // Whether there are no phases: each step is of the first kind in `phases` that gains anything.
  bool together;
  // Whether a maximum is left where the removal of an edge leads to a higher one.
  bool escape;
  // Whether a step counts only if the score of a DAG of the class has really risen; needed for scores
  // that differ within a class, whose steps may promise a rise that is none.
  bool verify;
  ClassLimits limits;
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
