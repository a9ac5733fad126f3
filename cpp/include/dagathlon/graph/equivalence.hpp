// Markov equivalence of DAGs: CPDAGs and consistent extensions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// The CPDAG of a DAG whose nodes stand in `order` along the edges.
MarkedGraph cpdag_of_dag(const MarkedGraph& dag, std::span<const std::size_t> order);

// Adds the compelled ones among the edges into a node to `into`. Row i of `compelled` has those into i, which are
// known for the parents of the node; `latest_parent` is the last of these in an order along the edges.
void label_edges_into(std::size_t node, std::size_t latest_parent, const BitMatrix& parents, const BitMatrix& compelled,
                      Row into);

// A DAG with the skeleton, the directed edges and the v-structures of `pdag` (Dor and Tarsi, 1992),
// or, when there is none, the nodes among which no more edges can be directed. Where there is a
// choice an edge points from the lower row to the higher.
std::variant<MarkedGraph, BitSet> extension(const MarkedGraph& pdag);

// The CPDAG of a DAG, or of the DAGs that extend a PDAG; nothing when there is no such DAG.
std::optional<MarkedGraph> cpdag(const MarkedGraph& graph);

// Whether the graph is the CPDAG, or the pattern, of some DAG.
bool is_cpdag(const MarkedGraph& graph);
bool is_pattern(const MarkedGraph& graph);

}  // namespace dagathlon
