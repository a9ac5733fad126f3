// Distances between graphs on the same nodes.
#pragma once

#include <cstddef>

#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// The number of node pairs whose edge differs: present in one graph only, or with other marks.
// Both graphs have the same size.
std::size_t differing_pairs(const MarkedGraph& a, const MarkedGraph& b);

}  // namespace dagathlon
