// The operators that raise the score of an equivalence class, kept for each node they point to.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/search/class_state.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

struct ClassLimits {
  // Largest number of edges at a node that an insertion may lead to.
  std::size_t max_degree;
  // Largest number of parents. All DAGs of a class have the same largest number: the nodes of an
  // undirected component have the same parents, and its largest clique has a last node.
  std::size_t max_parents;
  // Pairs whose scores show no dependence in the empty graph are joined only where both have an edge
  // with the same third node.
  bool faithful;
  // Row i: nodes j such that the arc i → j is forbidden or required.
  BitMatrix forbidden;
  BitMatrix required;
};

class ClassOperators {
 public:
  // For each node the operators into it, those of highest gain first.
  using Lists = std::array<std::vector<std::vector<ClassOperator>>, 3>;

  ClassOperators(Score& score, const ClassState& state, const ClassLimits& limits);

  // Which arcs may be inserted; before anything else.
  void find_joinable();
  const std::vector<ClassOperator>& into(Step step, std::size_t y) const { return lists_[place(step)][y]; }
  // The highest gain of those into each node; minus infinity where there are none.
  const std::vector<double>& highest(Step step) const { return highest_[place(step)]; }
  void find(Step step);
  void find(Step step, std::size_t y);
  // Finds those again that the operator made last may have changed.
  void refresh(Step step, const ClassOperator& made);
  // Every removal of an edge, whatever it costs, the cheapest first.
  std::vector<ClassOperator> all_removals();

  // From here on lists that are found anew are remembered as they were, until they are put back or
  // forgotten.
  void remember();
  void put_back();
  void forget() { remembering_ = false; }

  // Whether an arc x → y may be inserted at all.
  bool allowed(std::size_t x, std::size_t y) const { return allowed_.test(y, x); }
  void set_allowed(std::size_t x, std::size_t y, bool allowed);

 private:
  struct Addition {
    std::size_t parent;
    double gain;
  };
  struct Remembered {
    Step step;
    std::size_t y;
    std::vector<ClassOperator> list;
  };

  static std::size_t place(Step step) { return static_cast<std::size_t>(step); }
  std::size_t size() const { return state_.size(); }
  void note_highest(Step step, std::size_t y);
  void keep(Step step, std::size_t x, std::size_t y, const BitSet& with, double gain);
  bool may_point(ConstRow from, std::size_t to) const;
  bool may_turn(std::size_t x, std::size_t y) const;
  void find_insertions(std::size_t y);
  BitSet with_common_neighbour(std::size_t y) const;
  void insertions_with(std::size_t y, const BitSet& clique, const BitSet& candidates);
  // The further parents of y that raise its score, whatever the graph.
  const std::vector<Addition>& additions(std::size_t y, const std::vector<std::size_t>& parents);
  std::vector<Addition> raising(Score& score, std::size_t y, const std::vector<std::size_t>& parents) const;
  const std::u32string& family_of(std::size_t y, const std::vector<std::size_t>& parents);
  // Of all nodes with the parents that they have, by several threads where there are any.
  void find_first_additions();
  void find_removals(std::size_t y);
  void turn_directed(std::size_t x, std::size_t y);
  void turn_undirected(std::size_t x, std::size_t y);
  bool separates(const BitSet& with, const BitSet& shared, std::size_t y) const;
  double local_without(std::size_t child, std::vector<std::size_t> parents, std::size_t removed);
  double local_with(std::size_t child, std::vector<std::size_t> parents, std::size_t added);

  Score& score_;
  const ClassState& state_;
  const ClassLimits& limits_;
  // Row y: the nodes x that may be joined to y by an arc x → y, and those that may be without a
  // common neighbour.
  BitMatrix allowed_;
  BitMatrix joinable_;
  Lists lists_;
  std::array<std::vector<double>, 3> highest_;
  bool remembering_ = false;
  std::vector<Remembered> remembered_;
  std::array<BitSet, 3> are_remembered_;
  // The same families come back after most steps.
  std::unordered_map<std::u32string, std::vector<Addition>> additions_;
  std::u32string family_;
  // Operators that gain no more are not kept.
  double least_gain_;
};

}  // namespace dagathlon
