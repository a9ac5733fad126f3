// Chordal undirected graphs: elimination orders, cliques, junction trees.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

using NodeSequence = std::vector<std::size_t>;

// The graphs here are symmetric bit matrices: row i holds the nodes adjacent to i.

// All nodes such that each node's adjacent nodes after it are mutually adjacent; nothing when the
// graph is not chordal.
std::optional<NodeSequence> perfect_elimination_order(const BitMatrix& adjacent);

// A cycle of four or more nodes without a chord; empty for a chordal graph.
NodeSequence chordless_cycle(const BitMatrix& adjacent);

// The maximal cliques, each with the clique it hangs on in a junction tree
// (`no_node` for the first of each connected part) and the separator, the nodes it shares with all
// cliques before it: the running intersection property.
struct CliqueTree {
  std::vector<NodeSequence> cliques;
  std::vector<NodeSequence> separators;
  std::vector<std::size_t> parents;
};
// Nothing when the graph is not chordal.
std::optional<CliqueTree> clique_tree(const BitMatrix& adjacent);

}  // namespace dagathlon
