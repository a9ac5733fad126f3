// Random graphs with given degrees.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

using Pair = std::array<std::size_t, 2>;

// A simple graph with these degrees (Havel and Hakimi); empty-handed (nothing but an empty list while
// some degree is positive) when there is none.
std::vector<Pair> graph_with_degrees(std::span<const std::size_t> degrees);

// Tries `attempts` times to exchange the ends of two random edges; an exchange that would make a loop or
// a double edge is left out. The chain's stationary distribution is uniform over the simple graphs
// with the same degrees.
void switch_edges(std::vector<Pair>& edges, std::size_t n, std::size_t attempts, Stream& stream);

}  // namespace dagathlon
