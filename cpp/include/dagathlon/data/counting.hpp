// Contingency counts: x × y in each configuration of other columns, and a child in each configuration
// of its parents. One table feeds every discrete test and score.
//
// Dense tables come from a byte histogram or from bit planes, whichever is estimated to be faster;
// sparse ones from grouped rows; many tables of the same few columns from their distinct rows. All ways visit the same configurations in the same order (that of
// the given columns read as digits, the first the highest), so sums over them have the same digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/data/kept_tables.hpp"
#include "dagathlon/data/projections.hpp"
#include "dagathlon/data/row_groups.hpp"

namespace dagathlon {

// The counts of x × y in one configuration that was observed; rows with a missing value are left out.
struct Slice {
  std::size_t x_levels;
  std::size_t y_levels;
  const Tally* cells;  // x_levels × y_levels, y runs fastest
  const Tally* x_margin;
  const Tally* y_margin;
  Tally total;
};

// Counts one table after another in buffers of its own: one per thread.
class Counter {
 public:
  explicit Counter(const DiscreteData& data) : data_(data), projections_(data) {}

  const DiscreteData& data() const { return data_; }

  // Calls visit(slice) for every observed configuration of `given`; x, y and given are distinct.
  template <class Visit>
  void slices(std::size_t x, std::size_t y, Nodes given, Visit&& visit);

  // Calls visit(counts, total) for every observed configuration of the parents, with the number of
  // rows for each level of the child.
  template <class Visit>
  void families(std::size_t child, Nodes parents, Visit&& visit);

 private:
  // The columns of a table; the last runs fastest.
  void set_columns(Nodes given, Nodes inner);
  bool dense() const { return cells_ <= most_cells(); }
  std::size_t most_cells() const;
  // What the table costs if it is counted from all rows, in nanoseconds.
  double cost() const;
  double cost_by_planes() const;
  double cost_by_rows() const;
  // Whether the table was counted before and is there again. Only tests keep tables: searches for a
  // high score remember the scores.
  bool recall();
  void remember();
  bool is_worth_keeping() const;
  void tabulate();
  void tabulate_weighted();
  template <class Index>
  void tabulate_by_index();
  void tabulate_by_planes();
  const Word* plane_block(std::size_t column, std::size_t level) const;
  void count_plane(std::size_t depth, const Word* mask, std::size_t base);
  void count_plane_pair(const Word* mask, std::size_t base);

  // Replaces the given columns by the number of their configuration, where that is less work; always
  // where the table is not dense.
  void compact(Nodes given, Nodes inner);
  template <class Index>
  void start_index(std::size_t start, std::size_t rows, Index* index) const;
  // Calls visit(cells) for every complete configuration of the given columns.
  template <class Visit>
  void each_row(std::size_t width, std::size_t n_given, Visit&& visit) const;
  // Places of the rows sorted by group, one group after the other.
  void sort_by_group(const RowGroups& groups);

  bool configuration_is_complete(std::size_t configuration, std::size_t n_given) const;
  Slice slice_of(const Tally* cells, std::size_t x, std::size_t y);
  template <class Visit>
  void sparse_slices(std::size_t x, std::size_t y, Visit&& visit);

  const DiscreteData& data_;
  Projections projections_;
  RecentGroups recent_;
  KeptTables kept_;
  // Where the given columns are replaced: the groups of the rows.
  const RowGroups* groups_ = nullptr;
  std::vector<std::size_t> columns_;
  std::size_t cells_ = 0;
  std::vector<Tally> table_;
  std::vector<std::uint32_t> index_;
  std::vector<Word> masks_;
  std::size_t block_start_ = 0;
  std::size_t block_size_ = 0;
  std::vector<Tally> compact_;
  std::vector<Tally> x_margin_;
  std::vector<Tally> y_margin_;
  std::vector<std::size_t> group_start_;
  std::vector<std::size_t> sorted_rows_;
};

template <class Visit>
void Counter::slices(std::size_t x, std::size_t y, Nodes given, Visit&& visit) {
  const std::size_t inner[] = {x, y};
  set_columns(given, inner);
  const bool kept = recall();
  Projection* few = projections_.pay() && !kept ? projections_.covering(x, y, given, cost()) : nullptr;
  if (few) return few->counter->slices(few->place(x), few->place(y), few->places(given), visit);
  if (!kept) compact(given, inner);
  if (!dense()) {
    sort_by_group(*groups_);
    sparse_slices(x, y, visit);
    return;
  }
  if (!kept) {
    tabulate();
    remember();
  }
  each_row(data_.stored_arity(x) * data_.stored_arity(y), given.size(), [&](const Tally* cells) {
    const Slice slice = slice_of(cells, x, y);
    if (slice.total > 0) visit(slice);
  });
}

template <class Visit>
void Counter::each_row(std::size_t width, std::size_t n_given, Visit&& visit) const {
  const std::size_t end = groups_ ? groups_->count * width : cells_;
  for (std::size_t start = 0; start < end; start += width)
    if (groups_ || configuration_is_complete(start / width, n_given)) visit(table_.data() + start);
}

template <class Visit>
void Counter::sparse_slices(std::size_t x, std::size_t y, Visit&& visit) {
  const std::size_t width = data_.stored_arity(x) * data_.stored_arity(y);
  table_.assign(width, 0);
  for (std::size_t g = 0; g + 1 < group_start_.size(); ++g) {
    const std::span rows(sorted_rows_.data() + group_start_[g], group_start_[g + 1] - group_start_[g]);
    const auto cell = [&](std::size_t row) -> Tally& {
      return table_[data_.code(x, row) * data_.stored_arity(y) + data_.code(y, row)];
    };
    for (const std::size_t row : rows) cell(row) += data_.weights().empty() ? 1 : data_.weights()[row];
    const Slice slice = slice_of(table_.data(), x, y);
    if (slice.total > 0) visit(slice);
    for (const std::size_t row : rows) cell(row) = 0;
  }
}

template <class Visit>
void Counter::families(std::size_t child, Nodes parents, Visit&& visit) {
  const std::size_t inner[] = {child};
  const std::size_t levels = data_.arity(child);
  const std::size_t width = data_.stored_arity(child);
  const auto show = [&](const Tally* counts) {
    Tally total = 0;
    for (std::size_t k = 0; k < levels; ++k) total += counts[k];
    if (total > 0) visit(std::span(counts, levels), total);
  };
  set_columns(parents, inner);
  compact(parents, inner);
  if (dense()) {
    tabulate();
    return each_row(width, parents.size(), show);
  }
  sort_by_group(*groups_);
  for (std::size_t g = 0; g + 1 < group_start_.size(); ++g) {
    table_.assign(width, 0);
    for (std::size_t k = group_start_[g]; k < group_start_[g + 1]; ++k)
      table_[data_.code(child, sorted_rows_[k])] += data_.weights().empty() ? 1 : data_.weights()[sorted_rows_[k]];
    show(table_.data());
  }
}

}  // namespace dagathlon
