// An order of the nodes with the best parents of each among those before it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/graph/bits.hpp"
#include "dagathlon/order/grow_shrink_tree.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/score/score.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

class ScoredOrder {
 public:
  // What stands in a part of the order, and the score of the whole.
  struct Stretch {
    std::size_t first;
    std::vector<std::size_t> nodes;
    std::vector<std::size_t> found;
    double score;
  };

  ScoredOrder(Score& score, const SearchLimits& limits);
  ~ScoredOrder();
  ScoredOrder(const ScoredOrder&) = delete;
  ScoredOrder& operator=(const ScoredOrder&) = delete;

  // Takes an order; a node that must come after another by a required arc is put after it.
  void set(std::vector<std::size_t> order);
  const std::vector<std::size_t>& order() const { return order_; }
  std::size_t place(std::size_t node) const { return place_[node]; }
  double score() const { return score_; }
  // What a score must be above another to be better than it: more than the order in which terms are added up makes. With
  // millions of rows this is more than ties are of, and a search would go round in a circle of equal orders.
  double least_gain() const;
  const std::vector<std::size_t>& parents(std::size_t node) const { return trees_[node].parents(found_[node]); }
  MarkedGraph dag() const;
  // Those before a node, those that must be, the place in its tree that they lead to, and its term.
  ConstRow before(std::size_t node) const { return before_[node]; }
  ConstRow required_into(std::size_t node) const { return required_into_[node]; }
  std::size_t found(std::size_t node) const { return found_[node]; }
  double term(std::size_t node) const { return terms_[node]; }
  GrowShrinkTree& tree(std::size_t node) { return trees_[node]; }

  // Moves the first of these nodes that gains by it to the place where the score is best; its number among them.
  // Several threads look for the places of some nodes ahead, which stand if none before them moves. Called again with
  // those behind the one that moved.
  std::optional<std::size_t> move_first(Nodes nodes);

  // Moves x and what stands between it and y, but those `above`, behind y.
  void tuck(std::size_t x, std::size_t y, ConstRow above);
  // The part of the order that a tuck changes, and the way back.
  Stretch between(std::size_t x, std::size_t y) const;
  void put_back(const Stretch& stretch);

 private:
  std::size_t size() const { return trees_.size(); }
  // First and last place that required arcs leave to a node.
  std::pair<std::size_t, std::size_t> range(std::size_t node) const;
  // Finds the places, the parents and the score again after a change of this part of the order.
  void update(std::size_t first, std::size_t last);
  // Finds the parents of one node again; whether they are others.
  bool settle(std::size_t node, std::size_t member);
  void add_up();
  // What is best for a node after those before it, wherever it stands; several threads may ask.
  const GrowShrinkTree::Shrunk& answer(std::size_t node, ConstRow before, std::size_t member);
  // The place where the score is best for a node; where it stands, if none is better.
  std::size_t best_place(std::size_t node, std::size_t member);
  // Whether the score is higher then; if not, everything is as it was.
  bool move(std::size_t node, std::size_t to);
  void stand_in_order(std::size_t first, std::size_t last);

  const SearchLimits& limits_;
  std::vector<GrowShrinkTree> trees_;
  BitMatrix required_into_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> place_;
  // For each node those before it, the place in its tree that they lead to, and its term.
  BitMatrix before_;
  std::vector<std::size_t> found_;
  std::vector<const GrowShrinkTree::Shrunk*> ends_;
  std::vector<double> terms_;
  double score_ = 0;
  // Of the nodes that are still to move, how many have been looked at already.
  std::size_t looked_ahead_ = 0;
  // A score for each thread, and who asks a tree.
  std::vector<std::unique_ptr<Score>> twins_;
  std::vector<Score*> scores_;
  Team team_;
  std::vector<std::mutex> turns_;
};

}  // namespace dagathlon
