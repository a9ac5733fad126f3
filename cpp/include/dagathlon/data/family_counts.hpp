// Count tables of one child with each of many candidate parents added, in few passes over the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/data/counting.hpp"
#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/data/set_counts.hpp"

namespace dagathlon {

// Rows of the table are configurations of the parents, in no particular order and some of them
// empty; a row has a count for each level of the child. There must be no missing values.
class CandidateCounts {
 public:
  explicit CandidateCounts(const DiscreteData& data, std::size_t sharers = 1) : data_(data), sets_(data, sharers) {}

  // Whether it pays to say what is likely.
  bool looks_ahead() const { return sets_.suit(); }
  // Calls visit(x, table) for every candidate x, with the table of the child given parents and x. The child may
  // soon be asked for with `likely` columns as further parents, the likeliest first.
  template <class Visit>
  void each(std::size_t child, Nodes parents, Nodes candidates, Nodes likely, Visit&& visit) {
    const bool few_cells = planes_fit(child, parents, candidates);
    if (few_cells && (likely.empty() || !sets_pay(child, parents))) count_planes(child, parents, candidates);
    else if (sets_pay(child, parents)) count_sets(child, parents, candidates, likely, few_cells);
    else return each_by_rows(child, parents, candidates, visit);
    for (std::size_t k = 0; k < candidates.size(); ++k) visit(candidates[k], table(k));
  }

  // The table of the child given its parents, in the order of their configurations, where it follows from what was
  // counted before.
  bool recall(std::size_t child, Nodes parents, std::vector<Tally>& table);

 private:
  static constexpr std::size_t at_once = 4;

  std::span<const Tally> table(std::size_t k) const { return {tables_.data() + start_[k], start_[k + 1] - start_[k]}; }
  void lay_out(Nodes candidates, std::size_t cells);

  bool planes_fit(std::size_t child, Nodes parents, Nodes candidates) const;
  void count_planes(std::size_t child, Nodes parents, Nodes candidates);
  void count_block(Nodes candidates, std::size_t from, std::size_t words);
  void make_masks(std::size_t from, std::size_t words);

  bool sets_pay(std::size_t child, Nodes parents);
  void count_sets(std::size_t child, Nodes parents, Nodes candidates, Nodes likely, bool last_parent_first);

  template <class Visit>
  void each_by_rows(std::size_t child, Nodes parents, Nodes candidates, Visit&& visit) {
    index_rows(child, parents);
    for (std::size_t k = 0; k < candidates.size(); k += at_once) {
      const Nodes few = candidates.subspan(k, std::min(at_once, candidates.size() - k));
      count_rows(few);
      for (std::size_t i = 0; i < few.size(); ++i) visit(few[i], table(i));
    }
  }
  void index_rows(std::size_t child, Nodes parents);
  void count_rows(Nodes candidates);
  template <class Code>
  void count_rows_of(Nodes candidates);

  const DiscreteData& data_;
  SetCounts sets_;
  // Cells of child and parents without a candidate: the distance of a candidate's levels.
  std::size_t cells_ = 0;
  std::vector<std::uint32_t> index_;
  std::vector<std::size_t> start_;
  std::vector<Tally> tables_;
  std::vector<std::size_t> family_;
  std::vector<Word> masks_;
  std::vector<Word> next_masks_;
};

}  // namespace dagathlon
