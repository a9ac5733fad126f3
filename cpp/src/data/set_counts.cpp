#include "dagathlon/data/set_counts.hpp"

#include <algorithm>
#include <utility>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t counted_rows = 4096;
// Cells are numbers of two bytes; rows that wait for others of their cell are in memory that is not too large.
constexpr std::size_t most_cells = std::size_t{1} << 16;
constexpr std::size_t most_words = std::size_t{1} << 18;
// Of sets that were widened: what waits stays in the second cache.
constexpr std::size_t most_cached_words = std::size_t{1} << 14;
// To read the sums of a cell costs as much as to add about so many rows.
constexpr std::size_t rows_per_cell = 256;
constexpr std::size_t least_bytes = std::size_t{64} << 20;
constexpr std::size_t largest_bytes = std::size_t{1} << 30;
// All are looked through for each question.
constexpr std::size_t most_kept = 512;

DAGATHLON_WIDE_CLONES void append_digit(const std::uint8_t* codes, std::size_t arity, std::uint16_t* index,
                                        std::size_t rows) {
  const auto factor = static_cast<std::uint16_t>(arity);
  for (std::size_t i = 0; i < rows; ++i) index[i] = static_cast<std::uint16_t>(index[i] * factor + codes[i]);
}

DAGATHLON_WIDE_CLONES void add_counts(const Tally* from, std::size_t n, Tally* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace

bool SetCounts::counts(std::size_t cells) {
  if (!suit_ || cells > std::min(most_cells, data_.rows() / 4)) return false;
  if (!bits_) bits_ = &data_.row_bits();
  return cells * bits_->words() <= most_words;
}

std::size_t SetCounts::cells_of(Nodes columns) const {
  std::size_t cells = 1;
  for (const std::size_t column : columns) cells = std::min(cells * data_.arity(column), 2 * most_cells);
  return cells;
}

std::size_t SetCounts::most_speculative_cells() const {
  return std::min(most_cached_words / bits_->words(), data_.rows() / rows_per_cell);
}

std::size_t SetCounts::most_bytes() const {
  return std::clamp(4 * data_.rows() * data_.size(), least_bytes, largest_bytes) / sharers_;
}

const SetCounts::Sums& SetCounts::of(Nodes columns, Nodes likely) {
  Kept* found = known(columns);
  const Kept& kept = found ? *found : counted(widened(columns, likely));
  sums_.cells = cells_of(columns);
  sums_.width = bits_->bits();
  sums_.counts.assign(sums_.cells * sums_.width, 0);
  each(kept, columns, [&](std::size_t cell, std::size_t k) {
    add_counts(kept.counts.data() + k * sums_.width, sums_.width, sums_.counts.data() + cell * sums_.width);
  });
  return sums_;
}

bool SetCounts::totals(Nodes columns, std::vector<Tally>& table) {
  const Kept* found = kept_.empty() ? nullptr : known(columns);
  if (!found) return false;
  table.assign(cells_of(columns), 0);
  each(*found, columns, [&](std::size_t cell, std::size_t k) { table[cell] += found->counts[k * bits_->bits()]; });
  return true;
}

// The smallest of those that have all of the columns.
SetCounts::Kept* SetCounts::known(Nodes columns) {
  BitSet members(data_.size());
  for (const std::size_t column : columns) members.set(column);
  auto best = kept_.end();
  for (auto kept = kept_.begin(); kept != kept_.end(); ++kept)
    if (is_subset(members, kept->members) && (best == kept_.end() || kept->cells < best->cells)) best = kept;
  if (best == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, best);
  return &kept_.front();
}

std::vector<std::size_t> SetCounts::widened(Nodes columns, Nodes likely) const {
  std::vector<std::size_t> result(columns.begin(), columns.end());
  std::size_t cells = cells_of(columns);
  for (const std::size_t column : likely) {
    const std::size_t wider = cells * data_.arity(column);
    if (wider > most_speculative_cells() || std::ranges::find(columns, column) != columns.end()) continue;
    cells = wider;
    result.push_back(column);
  }
  return result;
}

SetCounts::Kept& SetCounts::counted(std::vector<std::size_t> columns) {
  Kept made{std::move(columns), BitSet(data_.size()), 0, {}, {}};
  made.cells = cells_of(made.columns);
  for (const std::size_t column : made.columns) made.members.set(column);
  adder_.begin(made.cells, bits_->words(), data_.rows());
  std::uint16_t index[counted_rows];
  for (std::size_t start = 0; start < data_.rows(); start += counted_rows) {
    const std::span<std::uint16_t> block(index, std::min(counted_rows, data_.rows() - start));
    pulse::beat(block.size() * bits_->words());
    index_rows(made.columns, start, block);
    adder_.add(bits_->row(start), block);
  }
  adder_.finish(bits_->bits(), [&](std::size_t cell, std::span<const Tally> counts) {
    made.observed.push_back(static_cast<std::uint16_t>(cell));
    made.counts.insert(made.counts.end(), counts.begin(), counts.end());
  });
  made.counts.shrink_to_fit();
  bytes_ += made.bytes();
  kept_.push_front(std::move(made));
  for (; (bytes_ > most_bytes() || kept_.size() > most_kept) && kept_.size() > 1; kept_.pop_back())
    bytes_ -= kept_.back().bytes();
  return kept_.front();
}

void SetCounts::index_rows(Nodes columns, std::size_t start, std::span<std::uint16_t> index) const {
  std::ranges::fill(index, std::uint16_t{0});
  for (const std::size_t column : columns)
    append_digit(data_.narrow_codes(column) + start, data_.arity(column), index.data(), index.size());
}

template <class Visit>
void SetCounts::each(const Kept& kept, Nodes columns, Visit&& visit) const {
  // How far apart neighbouring levels of a column of the kept are among the asked for; 0 where it is summed out.
  std::vector<std::size_t> strides(kept.columns.size(), 0);
  std::size_t stride = 1;
  for (std::size_t k = columns.size(); k-- > 0; stride *= data_.arity(columns[k]))
    strides[static_cast<std::size_t>(std::ranges::find(kept.columns, columns[k]) - kept.columns.begin())] = stride;
  std::vector<std::size_t> digits(kept.columns.size(), 0);
  std::size_t to = 0;
  for (std::size_t cell = 0, next = 0; next < kept.observed.size(); ++cell) {
    if (kept.observed[next] == cell) visit(to, next++);
    for (std::size_t k = digits.size(); k-- > 0;) {
      to += strides[k];
      if (++digits[k] < data_.arity(kept.columns[k])) break;
      to -= strides[k] * digits[k];
      digits[k] = 0;
    }
  }
}

}  // namespace dagathlon
