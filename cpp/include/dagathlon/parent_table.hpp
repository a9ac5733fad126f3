// Weights of all parent sets that a search space gives to one node, with their sums.
//
// A parent set is any subset of the candidates, with at most one of the extras (the "plus one" of
// Kuipers, Suter and Moffa 2022). Row S of a table is a subset of the candidates as bits; column 0
// has no extra, column 1+e has the e-th one. Summed or maximised over subsets beforehand, what a
// node contributes to an order is one row of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/bits.hpp"
#include "dagathlon/random.hpp"
#include "dagathlon/score.hpp"

namespace dagathlon {

// Which of a node's possible parents are allowed: candidates as bits, and for each column whether it
// is open: as a factor of sums (1 or 0), or as a term of maxima (0 or minus infinity).
struct AllowedParents {
  std::uint32_t candidates = 0;
  std::vector<double> open;
};

// A parent set: subset of the candidates, and column.
struct TabledSet {
  std::uint32_t candidates = 0;
  std::size_t column = 0;
  bool operator==(const TabledSet&) const = default;
};

// What stands for many parent sets: the sum of their weights, or the largest one.
enum class Summary { sum, best };

struct NodeSpace {
  std::vector<std::size_t> candidates;  // in increasing order
  std::vector<std::size_t> extras;      // in increasing order
  std::vector<std::size_t> required;    // some of the candidates
  std::size_t max_parents = 0;
};

class ParentTable {
 public:
  // Largest number of candidates: tables have 2^candidates rows.
  static constexpr std::size_t max_candidates = 20;
  static constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

  // Weights are scores raised to `power`.
  ParentTable(Score& score, std::size_t child, NodeSpace space, double power, Summary summary);

  const NodeSpace& space() const { return space_; }
  std::size_t width() const { return width_; }

  AllowedParents none() const;
  void clear(AllowedParents& allowed) const;
  // Allows a node as a parent, or no more; nothing happens where it is no possible one.
  void admit(AllowedParents& allowed, std::size_t node) const;
  void bar(AllowedParents& allowed, std::size_t node) const;
  bool knows(std::size_t node) const { return slots_[node] != no_slot; }

  // Logarithm of the sum of all allowed weights, or of the largest one.
  double value(const AllowedParents& allowed) const;
  // Logarithm of the sum of the weights allowed by `all` but not by `part`, some of them.
  double log_difference(const AllowedParents& all, const AllowedParents& part) const;

  // An allowed set: one by weight, or the best.
  TabledSet choose(const AllowedParents& allowed, Stream& random) const;
  // By weight one that `all` allows and `part` does not.
  TabledSet draw_outside(const AllowedParents& all, const AllowedParents& part, Stream& random) const;

  // The set with these parents; its column is `no_slot` if it is not in the table.
  TabledSet find(std::span<const std::size_t> parents) const;
  // The score of a set, and the nodes in it in increasing order.
  double score(const TabledSet& set) const { return scores_[set.candidates * width_ + set.column]; }
  std::vector<std::size_t> parents(const TabledSet& set) const;

 private:
  void fill_scores(Score& score, std::size_t child);
  void keep_to_limits();
  // Makes each row of the summaries that of all subsets.
  template <class Combine>
  void combine_subsets(Combine&& combine);
  void scale_rows();
  double weight(std::size_t place) const;
  double log_sum(const AllowedParents& allowed) const;
  double best(const AllowedParents& allowed) const;
  double row_sum(const AllowedParents& allowed) const;
  std::size_t choose_column(const AllowedParents& allowed, Stream& random) const;
  TabledSet best_set(const AllowedParents& allowed) const;
  bool is_allowed(std::size_t place, const AllowedParents& allowed) const;
  // Calls visit(place, log weight) for each allowed set.
  template <class Visit>
  void for_each_allowed(const AllowedParents& allowed, Visit&& visit) const;
  double slow_log_sum(const AllowedParents& allowed) const;
  double slow_difference(const AllowedParents& all, const AllowedParents& part) const;
  TabledSet set_at(std::size_t place) const { return {static_cast<std::uint32_t>(place / width_), place % width_}; }

  NodeSpace space_;
  double power_;
  Summary summary_;
  double open_;
  double closed_;
  std::size_t width_;
  // For each node its bit, or the number of candidates plus its column; or no_slot.
  std::vector<std::size_t> slots_;
  std::vector<double> scores_;
  // Over subsets: the largest score, or the sum of weights relative to exp(reference_) of the row.
  std::vector<double> summaries_;
  std::vector<double> reference_;
  // Rows whose sums have so wide a range that small ones may have become 0.
  std::vector<bool> wide_;
};

// One table for each node.
using ParentTables = std::vector<ParentTable>;

}  // namespace dagathlon
