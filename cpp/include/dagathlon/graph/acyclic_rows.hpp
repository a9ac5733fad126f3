// A DAG that arcs are added to and removed from, with the ancestors of all nodes at hand.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

class AcyclicRows {
 public:
  // Takes the arcs of a DAG.
  explicit AcyclicRows(const MarkedGraph& dag);

  std::size_t size() const { return parents_.size(); }
  ConstRow parents(std::size_t i) const { return parents_[i]; }
  ConstRow children(std::size_t i) const { return children_[i]; }
  // Nodes with a path of one arc or more to i, or from i.
  ConstRow ancestors(std::size_t i) const { return ancestors_[i]; }
  ConstRow descendants(std::size_t i) const { return descendants_[i]; }
  std::size_t n_parents(std::size_t i) const { return n_parents_[i]; }
  bool has(std::size_t from, std::size_t to) const { return parents_.test(to, from); }

  // Whether one could reverse an arc: no other path leads the same way.
  bool reversible(std::size_t from, std::size_t to) const;

  // The caller sees to it that no cycle comes about: to is no ancestor of from.
  void add(std::size_t from, std::size_t to);
  void remove(std::size_t from, std::size_t to);
  void reverse(std::size_t from, std::size_t to);

  MarkedGraph graph() const;

 private:
  void find_ancestors();
  // Finds ancestors and descendants again after the removal of the only path from one node to another.
  void part(std::size_t from, std::size_t to);
  std::vector<std::size_t> ordered(std::size_t node, ConstRow others) const;

  BitMatrix parents_;
  BitMatrix children_;
  BitMatrix ancestors_;
  BitMatrix descendants_;
  std::vector<std::size_t> n_parents_;
};

}  // namespace dagathlon
