// Growing graphs by preferential attachment.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// Edges from each node to `counts[node]` different earlier ones, the earlier drawn one by one in
// proportion to degree^power + 1. A node's degree counts the edges it came with only if
// `own_edges_attract`. No count is larger than the number of earlier nodes, and n^power is finite.
std::vector<std::array<std::size_t, 2>> grow_by_attachment(std::span<const std::size_t> counts, double power,
                                                           bool own_edges_attract, Stream& stream);

}  // namespace dagathlon
