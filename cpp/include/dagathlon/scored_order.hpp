// An order of the nodes with the best parents of each among those before it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/arc_moves.hpp"
#include "dagathlon/bits.hpp"
#include "dagathlon/grow_shrink_tree.hpp"
#include "dagathlon/marked_graph.hpp"
#include "dagathlon/score.hpp"

namespace dagathlon {

class ScoredOrder {
 public:
  ScoredOrder(Score& score, const SearchLimits& limits);

  // Takes an order; a node that must come after another by a required arc is put after it.
  void set(std::vector<std::size_t> order);
  const std::vector<std::size_t>& order() const { return order_; }
  std::size_t place(std::size_t node) const { return place_[node]; }
  double score() const;
  const std::vector<std::size_t>& parents(std::size_t node);
  MarkedGraph dag();

  // Moves a node to the place where the score is best; whether that gained anything.
  bool move_to_best_place(std::size_t node);

  // Whether the arc is the only path from x to y in the DAG of the order.
  bool is_singular(std::size_t x, std::size_t y);

  // Moves x and what stands between it and y, but the ancestors of y, behind y; whether required arcs
  // allow that.
  bool tuck(std::size_t x, std::size_t y);

 private:
  std::size_t size() const { return order_.size(); }
  // First and last place that required arcs leave to a node.
  std::pair<std::size_t, std::size_t> range(std::size_t node) const;
  void update(std::size_t first, std::size_t last);
  // Ancestors of y that stand behind x, and y itself.
  BitSet ancestors_behind(std::size_t x, std::size_t y);
  bool keeps_required_arcs() const;
  BitSet before(std::size_t place) const;

  const SearchLimits& limits_;
  std::vector<GrowShrinkTree> trees_;
  BitMatrix required_into_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> place_;
  std::vector<double> terms_;
};

}  // namespace dagathlon
