// Which nodes are worth a place among the candidate parents of a node.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/score/score.hpp"

namespace dagathlon {

// Chooses `count` of the possible parents of a node, or all if there are fewer; the required ones are
// first. One after the other: each time the node that with all subsets of those chosen has the largest
// sum of weights. In increasing order.
std::vector<std::size_t> candidate_parents(Score& score, std::size_t child, std::span<const std::size_t> possible,
                                           std::span<const std::size_t> required, std::size_t count);

}  // namespace dagathlon
