// Ancestor sets of all nodes at once.
#pragma once

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// Row i: the nodes that i reaches by zero or more steps, a step leading from v to a node of step[v].
BitMatrix closure_rows(const BitMatrix& step);

// Row i: i and the nodes with a directed path to i.
BitMatrix ancestor_rows(const MarkedGraph& graph);

// Row i: i and the nodes with a path to i of undirected edges and of directed edges towards i.
BitMatrix anterior_rows(const MarkedGraph& graph);

}  // namespace dagathlon
