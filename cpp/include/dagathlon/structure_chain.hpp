// Markov chains over DAGs that change one arc at a time (Madigan and York 1995).
#pragma once

#include "dagathlon/arc_moves.hpp"
#include "dagathlon/chain_log.hpp"
#include "dagathlon/marked_graph.hpp"
#include "dagathlon/random.hpp"
#include "dagathlon/score.hpp"

namespace dagathlon {

// Adds, removes or reverses arcs. Scores are raised to `power`; the start keeps to the limits.
ChainLog structure_chain(Score& score, const SearchLimits& limits, const MarkedGraph& start, double power,
                         ChainLength length, Stream random);

}  // namespace dagathlon
