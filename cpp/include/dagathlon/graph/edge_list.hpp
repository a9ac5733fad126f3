// Edges as lists, for graphs of many nodes and few edges: nothing here is as large as a matrix of marks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// The pairs i < j that are joined in one of two graphs of the same size, one after the other in the order
// of the nodes.
std::vector<std::int64_t> joined_pairs(const MarkedGraph& a, const MarkedGraph& b);

// For each pair the mark at its first and the mark at its second node.
std::vector<std::uint8_t> marks_of_pairs(const MarkedGraph& graph, std::span<const std::int64_t> pairs);

// The graph with these edges; every pair is of two different nodes and has two marks.
MarkedGraph graph_of_edges(std::size_t n, std::span<const std::int64_t> pairs, std::span<const std::uint8_t> marks);

// The edges among some nodes, each of them once, which are numbered by their places in the list.
MarkedGraph induced(const MarkedGraph& graph, std::span<const std::size_t> nodes);

// How many v-structures two graphs of the same size share: the arrowheads in both, the gap in both.
std::size_t shared_v_structures(const MarkedGraph& a, const MarkedGraph& b);

}  // namespace dagathlon
