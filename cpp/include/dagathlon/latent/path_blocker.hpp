// Sets that block all paths between two adjacent nodes of a PAG but their edge.
#pragma once

#include <cstddef>
#include <optional>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// A node between two arrows is a collider, every other one counts as none.
class PathBlocker {
 public:
  explicit PathBlocker(const MarkedGraph& graph);

  // Nodes that block every path from x to y but their edge, few and near y; none if none are found. Paths end at
  // nodes of `closed`, and no set has one. If any set blocks in an ancestral graph, all anterior nodes of x
  // and y do (van der Zander, Liśkiewicz and Textor 2014), so we begin with these, keep those that open walks from y
  // come to, and of these those that open walks from x come to. What is left is checked.
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
  struct Ends {
    std::size_t from;
    std::size_t to;
  };
  // The nodes from which a path without an arrow against it leads to an end; not over `closed`.
  BitSet anterior(const Ends& ends, const BitSet& closed) const;
  // The nodes that open walks come to, which neither use the edge of the ends nor pass one.
  BitSet reached(const Ends& ends, const BitSet& given, const BitSet& closed) const;
  bool is_open(std::size_t a, std::size_t middle, std::size_t b, const BitSet& given) const;

  const MarkedGraph& graph_;
  BitMatrix adjacent_;
  // Row i: the nodes at which the edge from i has an arrow.
  BitMatrix into_;
  // Row i: i and the nodes that directed edges lead to from it.
  BitMatrix descendants_;
};

}  // namespace dagathlon
