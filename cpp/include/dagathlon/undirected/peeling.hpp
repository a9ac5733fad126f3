// Undirected graphs without the nodes that hang on cliques: what is left of a decomposable graph is nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/chordal.hpp"

namespace dagathlon {

// A node whose neighbours, among the nodes that were still there when it was taken, are mutually adjacent.
struct Leaf {
  std::size_t node;
  NodeSequence neighbours;
};

// Leaves in the order in which they are taken, and the nodes that stay, ascending.
struct Peeling {
  std::vector<Leaf> leaves;
  NodeSequence core;
};

// Takes leaves as long as there are any, the lowest first, but for the nodes that are to be kept.
Peeling peel(const BitMatrix& adjacent, ConstRow kept);
Peeling peel(const BitMatrix& adjacent);

// Whether the nodes are mutually adjacent.
bool is_complete(const BitMatrix& adjacent, ConstRow nodes);

// The nodes that can be reached from one without passing through others.
BitSet reached(const BitMatrix& adjacent, std::size_t from, ConstRow closed);

}  // namespace dagathlon
