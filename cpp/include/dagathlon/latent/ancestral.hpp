// Ancestral graphs: what a DAG looks like when some of its nodes are not observed.
#pragma once

#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/graph/separation.hpp"

namespace dagathlon {

// The maximal ancestral graph over the nodes outside `latent` and `selection`, in their order, that
// has the same separations as `graph` has once the latent nodes are left out and the selection
// nodes are given. The graph must admit separation; the two sets must be disjoint.
MarkedGraph latent_projection(const MarkedGraph& graph, ConstRow latent, ConstRow selection);

// Whether the graph admits separation and has no bidirected edge between a node and its ancestor.
bool is_ancestral(const MarkedGraph& graph);

// Whether the graph is ancestral and every two nodes without an edge can be separated.
bool is_mag(const MarkedGraph& graph);

}  // namespace dagathlon
