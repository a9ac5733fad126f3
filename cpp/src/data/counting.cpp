#include "dagathlon/data/counting.hpp"

#include <limits>
#include <numeric>

#include "dagathlon/graph/common_bits.hpp"
#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t max_sub_table_cells = 4096;
constexpr std::size_t too_many_cells = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t few_cells = std::size_t{1} << 15;
// Tables to be kept: far fewer cells than the rows that they were counted from.
constexpr std::size_t most_kept_cells = 2048;
constexpr std::size_t many_rows = std::size_t{1} << 14;
constexpr std::size_t block_rows = 4096;
constexpr std::size_t block_words = 256;

// Measured costs in nanoseconds: one word of a plane, with and without counting in vectors, one row of
// a histogram, one column of its index.
constexpr double vector_word_cost = 0.12;
constexpr double word_cost = 0.6;
constexpr double histogram_row_cost = 0.65;
constexpr double index_column_cost = 0.12;

const bool by_vector = has_vector_popcount();

template <class Code, class Index>
void append_digit(const Code* codes, std::size_t arity, Index* index, std::size_t rows) {
  const auto factor = static_cast<Index>(arity);
  for (std::size_t i = 0; i < rows; ++i) index[i] = static_cast<Index>(index[i] * factor + codes[i]);
}

template <class Index>
void append_digit(const DiscreteData& data, std::size_t column, std::size_t start, std::size_t rows, Index* index) {
  const std::size_t arity = data.stored_arity(column);
  if (data.wide()) append_digit(data.wide_codes(column) + start, arity, index, rows);
  else append_digit(data.narrow_codes(column) + start, arity, index, rows);
}

// Four tables, so that equal neighbours do not wait for each other's increment.
template <class Index>
void histogram(const Index* index, std::size_t rows, Tally* tables, std::size_t cells) {
  std::size_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    ++tables[index[i]];
    ++tables[cells + index[i + 1]];
    ++tables[2 * cells + index[i + 2]];
    ++tables[3 * cells + index[i + 3]];
  }
  for (; i < rows; ++i) ++tables[index[i]];
}

}  // namespace

void Counter::set_columns(Nodes given, Nodes inner) {
  columns_.assign(given.begin(), given.end());
  columns_.insert(columns_.end(), inner.begin(), inner.end());
  cells_ = 1;
  for (const std::size_t column : columns_) cells_ = std::min(cells_ * data_.stored_arity(column), too_many_cells);
}

std::size_t Counter::most_cells() const {
  // Beyond this, clearing and reading the table costs more than grouping the rows.
  return std::max<std::size_t>(2 * block_rows, 4 * data_.rows());
}

void Counter::compact(Nodes given, Nodes inner) {
  groups_ = nullptr;
  const bool small = given.size() < 2 || cells_ <= std::max<std::size_t>(few_cells, data_.rows() / 16);
  if (dense() && (small || cost_by_planes() < cost_by_rows())) return;
  groups_ = &recent_.of(data_, given);
  columns_.assign(inner.begin(), inner.end());
  cells_ = groups_->count + 1;  // the last is for the rows of no group
  for (const std::size_t column : columns_) cells_ = std::min(cells_ * data_.stored_arity(column), too_many_cells);
}

bool Counter::recall() {
  groups_ = nullptr;
  return is_worth_keeping() && kept_.find(data_, columns_, table_);
}

void Counter::remember() {
  if (!groups_ && is_worth_keeping()) kept_.keep(columns_, std::span(table_).first(cells_));
}

bool Counter::is_worth_keeping() const {
  return cells_ <= most_kept_cells && columns_.size() > 1 && data_.rows() >= many_rows && data_.weights().empty();
}

void Counter::tabulate() {
  table_.assign(cells_, 0);
  if (!data_.weights().empty()) tabulate_weighted();
  else if (!groups_ && cost_by_planes() < cost_by_rows()) tabulate_by_planes();
  else if (cells_ <= std::numeric_limits<std::uint16_t>::max()) tabulate_by_index<std::uint16_t>();
  else tabulate_by_index<std::uint32_t>();
}

void Counter::tabulate_weighted() {
  index_.resize(data_.rows());
  start_index(0, data_.rows(), index_.data());
  for (const std::size_t column : columns_) append_digit(data_, column, 0, data_.rows(), index_.data());
  for (std::size_t i = 0; i < data_.rows(); ++i) table_[index_[i]] += data_.weights()[i];
}

template <class Index>
void Counter::start_index(std::size_t start, std::size_t rows, Index* index) const {
  if (!groups_) {
    std::fill_n(index, rows, Index{0});
    return;
  }
  const Tally* groups = groups_->of_row.data() + start;
  const auto none = static_cast<Tally>(groups_->count);
  for (std::size_t i = 0; i < rows; ++i) index[i] = static_cast<Index>(std::min(groups[i], none));
}

template <class Index>
void Counter::tabulate_by_index() {
  const bool sub_tables = cells_ <= max_sub_table_cells;
  if (sub_tables) table_.assign(4 * cells_, 0);
  Index index[block_rows];
  for (std::size_t start = 0; start < data_.rows(); start += block_rows) {
    const std::size_t rows = std::min(block_rows, data_.rows() - start);
    start_index(start, rows, index);
    for (const std::size_t column : columns_) append_digit(data_, column, start, rows, index);
    if (sub_tables) histogram(index, rows, table_.data(), cells_);
    else
      for (std::size_t i = 0; i < rows; ++i) ++table_[index[i]];
  }
  if (!sub_tables) return;
  for (std::size_t cell = 0; cell < cells_; ++cell)
    table_[cell] += table_[cells_ + cell] + table_[2 * cells_ + cell] + table_[3 * cells_ + cell];
}

double Counter::cost_by_planes() const {
  double outer = 1;
  double operations = 0;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (!data_.has_planes(columns_[k])) return std::numeric_limits<double>::infinity();
    const auto arity = static_cast<double>(data_.stored_arity(columns_[k]));
    const bool last_pair = k + 2 >= columns_.size();
    operations += outer * (last_pair ? arity - 1 : arity);
    outer *= last_pair ? std::max(arity - 1, 1.0) : arity;
  }
  return (by_vector ? vector_word_cost : word_cost) * operations * static_cast<double>(words_for(data_.rows()));
}

double Counter::cost_by_rows() const {
  const double row = histogram_row_cost + index_column_cost * static_cast<double>(columns_.size());
  return row * static_cast<double>(data_.rows());
}

double Counter::cost() const {
  return std::min(cost_by_planes(), cost_by_rows() + static_cast<double>(std::min(cells_, most_cells())));
}

// In blocks of rows whose planes stay in the fastest cache.
void Counter::tabulate_by_planes() {
  masks_.resize((columns_.size() + 1) * block_words);
  const std::size_t words = words_for(data_.rows());
  for (block_start_ = 0; block_start_ < words; block_start_ += block_words) {
    block_size_ = std::min(block_words, words - block_start_);
    std::fill_n(masks_.begin(), block_size_, ~Word{0});
    const bool partial = block_start_ + block_size_ == words && data_.rows() % word_bits != 0;
    if (partial) masks_[block_size_ - 1] = (Word{1} << (data_.rows() % word_bits)) - 1;
    count_plane(0, masks_.data(), 0);
  }
}

const Word* Counter::plane_block(std::size_t column, std::size_t level) const {
  return data_.plane(column, level).data() + block_start_;
}

void Counter::count_plane(std::size_t depth, const Word* mask, std::size_t base) {
  if (depth + 2 >= columns_.size()) return count_plane_pair(mask, base);
  const std::size_t levels = data_.stored_arity(columns_[depth]);
  Word* next = masks_.data() + (depth + 1) * block_words;
  for (std::size_t level = 0; level < levels; ++level) {
    if (common(mask, plane_block(columns_[depth], level), next, block_size_) == 0) continue;
    count_plane(depth + 1, next, base * levels + level);
  }
}

// Counts the last two columns (or the only one); the last level of each follows from the margins.
void Counter::count_plane_pair(const Word* mask, std::size_t base) {
  const std::size_t y = columns_.back();
  const std::size_t y_levels = data_.stored_arity(y);
  const std::size_t x_levels = columns_.size() == 1 ? 1 : data_.stored_arity(columns_[columns_.size() - 2]);
  Tally* cells = table_.data() + base * x_levels * y_levels;
  Tally* last_row = cells + (x_levels - 1) * y_levels;
  Tally counts[DiscreteData::max_plane_levels];
  const auto count_levels = [&](const Word* rows, std::size_t total) {
    for (std::size_t b = 0; b + 1 < y_levels; ++b) {
      counts[b] = static_cast<Tally>(count_common(rows, plane_block(y, b), block_size_));
      total -= counts[b];
    }
    counts[y_levels - 1] = static_cast<Tally>(total);
  };
  count_levels(mask, count_common(mask, mask, block_size_));
  for (std::size_t b = 0; b < y_levels; ++b) last_row[b] += counts[b];
  Word* next = masks_.data() + columns_.size() * block_words;
  for (std::size_t a = 0; a + 1 < x_levels; ++a) {
    count_levels(next, common(mask, plane_block(columns_[columns_.size() - 2], a), next, block_size_));
    for (std::size_t b = 0; b < y_levels; ++b) {
      cells[a * y_levels + b] += counts[b];
      last_row[b] -= counts[b];
    }
  }
}

void Counter::sort_by_group(const RowGroups& groups) {
  group_start_.assign(groups.count + 1, 0);
  for (const Tally g : groups.of_row)
    if (g != RowGroups::no_group) ++group_start_[g + 1];
  std::partial_sum(group_start_.begin(), group_start_.end(), group_start_.begin());
  sorted_rows_.resize(group_start_.back());
  std::vector<std::size_t> place(group_start_.begin(), group_start_.end() - 1);
  for (std::size_t i = 0; i < groups.of_row.size(); ++i)
    if (groups.of_row[i] != RowGroups::no_group) sorted_rows_[place[groups.of_row[i]]++] = i;
}

bool Counter::configuration_is_complete(std::size_t configuration, std::size_t n_given) const {
  for (std::size_t k = n_given; k-- > 0;) {
    const std::size_t column = columns_[k];
    if (configuration % data_.stored_arity(column) == data_.arity(column)) return false;
    configuration /= data_.stored_arity(column);
  }
  return true;
}

Slice Counter::slice_of(const Tally* cells, std::size_t x, std::size_t y) {
  const std::size_t x_levels = data_.arity(x);
  const std::size_t y_levels = data_.arity(y);
  if (data_.has_missing(y)) {
    compact_.resize(x_levels * y_levels);
    for (std::size_t a = 0; a < x_levels; ++a)
      std::copy_n(cells + a * (y_levels + 1), y_levels, compact_.begin() + static_cast<std::ptrdiff_t>(a * y_levels));
    cells = compact_.data();
  }
  x_margin_.assign(x_levels, 0);
  y_margin_.assign(y_levels, 0);
  Tally total = 0;
  for (std::size_t a = 0; a < x_levels; ++a) {
    for (std::size_t b = 0; b < y_levels; ++b) {
      x_margin_[a] += cells[a * y_levels + b];
      y_margin_[b] += cells[a * y_levels + b];
    }
    total += x_margin_[a];
  }
  return {x_levels, y_levels, cells, x_margin_.data(), y_margin_.data(), total};
}

}  // namespace dagathlon
