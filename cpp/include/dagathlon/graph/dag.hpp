// What directed edges say: order, cycles, ancestors, Markov blankets.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// Nodes in the order of the directed edges, the lowest row first where there is a choice. Nodes on
// a directed cycle, or after one, are left out.
std::vector<std::size_t> topological_order(const MarkedGraph& graph);

// The nodes of one directed cycle, in its direction; empty when there is none.
std::vector<std::size_t> directed_cycle(const MarkedGraph& graph);

// Whether all edges are directed and none closes a cycle.
bool is_dag(const MarkedGraph& graph);

// All nodes with a directed path to (from) a member of `nodes`, and the members themselves.
BitSet ancestors(const MarkedGraph& graph, const BitSet& nodes);
BitSet descendants(const MarkedGraph& graph, const BitSet& nodes);

// Parents, children and the children's other parents.
BitSet markov_blanket(const MarkedGraph& graph, std::size_t node);

// The skeleton with an edge more between any two parents of one node.
MarkedGraph moral(const MarkedGraph& dag);

}  // namespace dagathlon
