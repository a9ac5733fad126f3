// Weights of all parent sets that a search space gives to one node, with their sums.
//
// A parent set is any subset of the candidates, with at most one of the extras (the "plus one" of
// Kuipers, Suter and Moffa 2022), or a free set (free_sets.hpp). Row S of a table is a subset of the candidates as bits; column 0
// has no extra, column 1+e has the e-th one. Summed or maximised over subsets beforehand, what a
// node contributes to an order is one row of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/mcmc/free_sets.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

// Which of a node's possible parents are allowed: candidates as bits, and for each column whether it
// is open: as a factor of sums (1 or 0), or as a term of maxima (0 or minus infinity). Of a single
// column, which is always open, nothing is noted.
struct AllowedParents {
  std::uint32_t candidates = 0;
  std::vector<double> open;
  // The same nodes once more, for free sets.
  FreeSets::Members nodes{};
};

// A parent set: subset of the candidates, and column; columns beyond those of the table are free sets.
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
  std::size_t free = 0;  // all sets of at most so many candidates and extras
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
  // Whether a draw outside takes one random number, and a choice two.
  bool one_number_each() const { return width_ == 1 && !low_sums_.empty(); }

  AllowedParents none() const;
  void clear(AllowedParents& allowed) const;
  // Allows a node as a parent, or no more; nothing happens where it is no possible one.
  void admit(AllowedParents& allowed, std::size_t node) const;
  void bar(AllowedParents& allowed, std::size_t node) const;
  bool knows(std::size_t node) const { return slots_[node] != no_slot; }

  // Logarithm of the sum of all allowed weights, or of the largest one.
  double value(const AllowedParents& allowed) const;
  // Logarithm of the sum of the weights allowed by `all` but not by `part`, which allows some of them.
  double log_difference(const AllowedParents& all, const AllowedParents& part) const;

  // An allowed set: one by weight, or the best.
  TabledSet choose(const AllowedParents& allowed, Stream& random) const;
  // By weight one that `all` allows and `part` does not.
  TabledSet draw_outside(const AllowedParents& all, const AllowedParents& part, Stream& random) const;
  // Adds `share` times the probability of each node to be in an allowed set, which is not one of those
  // that `part` allows if there is one, to shares[node * stride].
  void add_shares(const AllowedParents& all, const AllowedParents* part, double share, double* shares,
                  std::size_t stride) const;

  // The set with these parents; its column is `no_slot` if it is not in the table.
  TabledSet find(std::span<const std::size_t> parents) const;
  // The score of a set, and the nodes in it in increasing order.
  double score(const TabledSet& set) const {
    return set.column < width_ ? scores_[set.candidates * width_ + set.column] : free_.score(set.column - width_);
  }
  std::vector<std::size_t> parents(const TabledSet& set) const;

 private:
  void fill_scores(Score& score, std::size_t child);
  void keep_to_limits();
  void maximise_subsets();
  // Sums the weights of all subsets, and before that those of the subsets that differ in low bits.
  void sum_subsets();
  void keep_low_sums(const std::vector<std::int32_t>& powers);
  void scale_rows(const std::vector<std::int32_t>& powers);
  double weight(std::size_t place) const;
  // Without free sets.
  double tabled_sum(const AllowedParents& allowed) const;
  double tabled_difference(const AllowedParents& all, const AllowedParents& part) const;
  template <class Tabled, class Allowed>
  TabledSet draw_from(double tabled, Stream& random, Tabled&& from_table, Allowed&& allowed) const;
  TabledSet draw_tabled(const AllowedParents& allowed, Stream& random) const;
  TabledSet draw_tabled_outside(const AllowedParents& all, const AllowedParents& part, Stream& random) const;
  TabledSet find_free(std::span<const std::size_t> parents) const;
  bool is_open(const AllowedParents& allowed, std::size_t t) const { return width_ == 1 || allowed.open[t] == open_; }
  static bool lets(const AllowedParents& allowed, const FreeSets::Members& members) {
    return FreeSets::contains(allowed.nodes, members);
  }
  double best(const AllowedParents& allowed) const;
  double row_sum(const AllowedParents& allowed) const;
  std::size_t choose_column(const AllowedParents& allowed, Stream& random) const;
  TabledSet best_set(const AllowedParents& allowed) const;
  // The same as draw_outside, by way of the sums over low bits.
  TabledSet draw_by_halves(const AllowedParents& all, const AllowedParents* part, std::size_t column, double log_total,
                           Stream& random) const;
  // The same of a table with extras: first a column, then a set in it.
  TabledSet draw_by_columns(const AllowedParents& all, const AllowedParents& part, Stream& random) const;
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
  // Over subsets: the largest score, or the sum of weights relative to 2^reference_ of the row.
  std::vector<double> summaries_;
  std::vector<std::int32_t> reference_;
  // Of tables with many candidates, and without extras or with free sets: logarithms of sums over the subsets of a row that
  // have the same high bits. With them a draw looks at 2·2^(k/2) sets rather than at 2^k.
  std::vector<double> low_sums_;
  std::uint32_t low_mask_ = 0;
  // Rows whose sums have so wide a range that small ones may have become 0.
  std::vector<bool> wide_;
  FreeSets free_;
};

template <class Visit>
void ParentTable::for_each_allowed(const AllowedParents& allowed, Visit&& visit) const {
  for (std::uint32_t set = allowed.candidates;; set = (set - 1) & allowed.candidates) {
    for (std::size_t t = 0; t < width_; ++t)
      if (is_open(allowed, t)) visit(set * width_ + t, weight(set * width_ + t));
    if (set == 0) return;
  }
}

// One table for each node.
using ParentTables = std::vector<ParentTable>;

}  // namespace dagathlon
