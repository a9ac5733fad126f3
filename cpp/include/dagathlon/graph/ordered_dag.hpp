// A DAG that changes a little at a time, with its nodes in an order of the arcs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/graph/meek.hpp"

namespace dagathlon {

class OrderedDag {
 public:
  // Arcs that come, and arcs that go; an arc that is turned is one of each.
  struct Change {
    std::vector<DirectedEdge> come;
    std::vector<DirectedEdge> go;
  };

  explicit OrderedDag(const MarkedGraph& dag);

  std::size_t size() const { return parents_.size(); }
  const BitMatrix& parents() const { return parents_; }
  const BitMatrix& children() const { return children_; }
  bool has(std::size_t from, std::size_t to) const { return parents_.test(to, from); }
  std::size_t place(std::size_t node) const { return place_[node]; }
  std::size_t at(std::size_t place) const { return order_[place]; }
  // The parent that stands last in the order; there must be one.
  std::size_t latest_parent(std::size_t node) const;
  MarkedGraph graph() const { return MarkedGraph::from_rows(parents_, children_, BitMatrix(size())); }

  // Makes a change; false, and nothing changed, where it would close a cycle.
  bool make(const Change& change);
  // Takes the change back that was made last.
  void take_back(const Change& change) { put(change.go, change.come), stand_in_order(change.go); }

 private:
  void put(std::span<const DirectedEdge> come, std::span<const DirectedEdge> go);
  bool stand_in_order(std::span<const DirectedEdge> arcs);
  // Puts the nodes from one place to another in an order of their arcs; whether there is one.
  bool sort(std::size_t first, std::size_t last);

  BitMatrix parents_;
  BitMatrix children_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> place_;
  std::vector<std::size_t> waiting_;
};

}  // namespace dagathlon
