// A depth-first search of tucks that raise the score of an order in the end.
//
// To tuck an arc x → y is to move x, and what stands between x and y but the ancestors of y, behind y. Most tucks
// lead nowhere, so they are tried without moving anything: only the few nodes whose parents can change are looked
// at, and the order is moved when the search goes on from there.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/order/scored_order.hpp"

namespace dagathlon {

// How many tucks in a row may leave the score as it is, and how many of them, from the first on, may be of arcs
// that are not covered, and of arcs that are not singular.
struct TuckRules {
  std::size_t depth;
  std::size_t uncovered_depth;
  std::size_t nonsingular_depth;
};

class TuckSearch {
 public:
  // The order is changed by nobody else as long as the search lives.
  TuckSearch(ScoredOrder& order, const TuckRules& rules);

  // Tucks until the score is higher; whether it could. If not, the order is what it was.
  bool improve();

 private:
  // What a tuck of x → y is about: the ancestors of y behind x with y itself, and the others from x to y.
  struct Parts {
    BitSet above;
    BitSet others;
    std::vector<std::size_t> above_list;
  };

  bool search(std::size_t depth);
  bool try_tuck(std::size_t x, std::size_t y, std::size_t depth);
  bool is_covered(std::size_t x, std::size_t y) const;
  // Whether the arc is the only path from x to y.
  bool is_singular(std::size_t x, std::size_t y, const Parts& parts) const;
  void part(std::size_t x, std::size_t y, Parts& parts) const;
  bool keeps_required_arcs(const Parts& parts) const;

  // The score after a tuck; nothing where it is clearly lower.
  std::optional<double> score_after(const Parts& parts);
  void find_changes(const Parts& parts);
  void find_change(std::size_t node);
  double exact_score();

  // Moves, and takes in what is new in a part of the order.
  void move(std::size_t x, std::size_t y, const Parts& parts);
  void move_back(const ScoredOrder::Stretch& stretch);
  void look_at(std::size_t node);
  void sum_terms();

  ScoredOrder& order_;
  std::size_t n_;
  TuckRules rules_;
  double start_ = 0;
  double least_gain_ = 0;
  // Scores that differ by less may be equal, or in the other order, in their last digits.
  double slack_ = std::numeric_limits<double>::infinity();
  bool has_required_ = false;
  // Of each node what its tree says where it stands; row i of `wanted_by_`: the nodes that i would change if it
  // came before them.
  std::vector<std::size_t> found_;
  std::vector<std::span<const std::size_t>> parents_;
  std::vector<ConstRow> needed_;
  BitMatrix wanted_by_;
  // Terms, and the sum of those before each.
  std::vector<double> terms_;
  std::vector<double> sums_;
  std::vector<Parts> parts_;
  // Nodes that a tuck would give other parents, with their terms then.
  std::vector<std::pair<std::size_t, double>> changes_;
  BitSet gaining_;
  BitSet before_;
};

}  // namespace dagathlon
