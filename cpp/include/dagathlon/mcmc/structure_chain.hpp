// Markov chains over DAGs that change one arc at a time (Madigan and York 1995), or turn an edge and
// draw both of its ends new parents (Grzegorczyk and Husmeier 2008).
#pragma once

#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/mcmc/parent_table.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

struct StructureOptions {
  // Scores are raised to this power.
  double power = 1;
  Coldness coldness{1.0};
  // Share of the steps that turn an edge, among parent sets that tables of sums hold. A family that is
  // not in them stays as it is in such a step.
  double reversals = 0;
  const ParentTables* tables = nullptr;
};

// The start keeps to the limits.
ChainLog structure_chain(Score& score, const SearchLimits& limits, const MarkedGraph& start,
                         const StructureOptions& options, ChainLength length, Stream random);

}  // namespace dagathlon
