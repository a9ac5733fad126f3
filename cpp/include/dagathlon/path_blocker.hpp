// Sets that block all paths between two adjacent nodes of a PAG but their edge.
#pragma once

#include <cstddef>
#include <optional>

#include "dagathlon/bits.hpp"
#include "dagathlon/marked_graph.hpp"

namespace dagathlon {

// A node between two arrows is a collider, every other one counts as none.
class PathBlocker {
 public:
  explicit PathBlocker(const MarkedGraph& graph);

  // Nodes that block every path from x to y, found from y backwards; none if no nodes do. No path is followed
  // into a node of `closed`, and no set has one.
  std::optional<BitSet> blocking_set(std::size_t x, std::size_t y, const BitSet& closed) const;

  // The nodes v of which the edge x–y hides whether they are colliders: a path of colliders that may be parents
  // of y leads from x to v, and there is a circle at v on its edge to y. Without x–y it discriminates.
  BitSet undecided(std::size_t x, std::size_t y) const;

  // Whether both edges have an arrow at the middle.
  bool is_collider(std::size_t a, std::size_t middle, std::size_t b) const {
    return into_.test(a, middle) && into_.test(b, middle);
  }
  const BitMatrix& adjacent() const { return adjacent_; }

 private:
  struct Search;
  bool is_open(std::size_t a, std::size_t middle, std::size_t b, const BitSet& given) const;

  const MarkedGraph& graph_;
  BitMatrix adjacent_;
  // Row i: the nodes at which the edge from i has an arrow.
  BitMatrix into_;
  // Row i: i and the nodes that directed edges lead to from it.
  BitMatrix descendants_;
};

}  // namespace dagathlon
