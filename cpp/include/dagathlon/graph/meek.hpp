// Meek's orientation rules, background knowledge and interventions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/graph/pdag.hpp"

namespace dagathlon {

// From, to.
using DirectedEdge = std::pair<std::size_t, std::size_t>;

// Directs undirected edges until none of Meek's rules R1 to R4 applies. A directed edge is never
// turned, so in a graph that is no part of a DAG the first rule to reach an edge decides.
void close_under_meek(Pdag& pdag);

// Closes the graph, then directs the given adjacent pairs one by one, closing after each. Stops at
// the first that contradicts what is directed already and gives its place in the list.
std::optional<std::size_t> close_with_knowledge(Pdag& pdag, std::span<const DirectedEdge> edges);

// The essential graph of the DAGs that cannot be told from `dag` by experiments on these targets
// (Hauser and Bühlmann, 2012); each node must be outside some target.
MarkedGraph interventional_essential_graph(const MarkedGraph& dag, std::span<const BitSet> targets);

}  // namespace dagathlon
