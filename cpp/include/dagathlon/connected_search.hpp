// A search over DAGs without separate parts: hill climbing, and escapes from each local maximum.
#pragma once

#include <cstddef>

#include "dagathlon/hill_climbing.hpp"

namespace dagathlon {

// Climbs from `start`, then from the neighbours of the maximum, those of least loss first, until one of these climbs
// ends higher; `escapes` is the largest number of neighbours tried at one maximum. No step removes an arc without
// which a part of the graph would fall apart, so that a connected start leads to a connected result.
SearchResult connected_search(Score& score, const SearchLimits& limits, const MarkedGraph& start, std::size_t escapes);

}  // namespace dagathlon
