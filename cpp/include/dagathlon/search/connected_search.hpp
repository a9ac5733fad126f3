// A search over DAGs without separate parts: hill climbing, then tabu search from each local maximum.
#pragma once

#include <cstddef>

#include "dagathlon/search/hill_climbing.hpp"

namespace dagathlon {

// Climbs from `start`. From a maximum it goes on by the best step to a DAG not seen since, be it up, level or down,
// until one of them is higher, and climbs again from there; after `escapes` such steps in vain it ends. No step
// removes an arc without which a part of the graph would fall apart, so that a connected start leads to a connected
// result.
SearchResult connected_search(Score& score, const SearchLimits& limits, const MarkedGraph& start, std::size_t escapes);

}  // namespace dagathlon
