#include "dagathlon/data/discrete_data.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace dagathlon {

namespace {

constexpr std::size_t max_narrow_arity = 256;
constexpr std::size_t max_mergeable_cells = std::size_t{1} << 16;

// Calls visit(row, code) for all; codes side by side are read several at a time.
template <class Code, class Visit>
void for_each_code(const CodeColumn<Code>& column, std::size_t rows, Visit&& visit) {
  const Code* codes = column.codes;
  if (column.row_stride == 1)
    for (std::size_t i = 0; i < rows; ++i) visit(i, codes[i]);
  else
    for (std::size_t i = 0; i < rows; ++i) visit(i, codes[static_cast<std::ptrdiff_t>(i) * column.row_stride]);
}

// Whether a value is missing; a code that is no level and does not say so is refused.
template <class Code>
bool checked_for_gaps(const CodeColumn<Code>& column, std::size_t rows, std::size_t arity) {
  constexpr Code missing = std::numeric_limits<Code>::max();
  // The highest code, and the highest but for missing ones, which come after all others.
  Code highest = 0, highest_level = 0;
  for_each_code(column, rows, [&](std::size_t, Code code) {
    highest = std::max(highest, code);
    highest_level = std::max(highest_level, code == missing ? Code{0} : code);
  });
  if (highest_level >= arity) throw std::invalid_argument("a code is not below the arity");
  return highest == missing;
}

// Missing values become `arity`.
template <class To, class From>
void copy_column(const CodeColumn<From>& column, std::size_t rows, std::size_t arity, To* to) {
  const auto last = static_cast<From>(std::min<std::size_t>(arity, std::numeric_limits<From>::max()));
  for_each_code(column, rows, [&](std::size_t i, From code) { to[i] = static_cast<To>(std::min(code, last)); });
}

}  // namespace

template <class Code>
DiscreteData::DiscreteData(std::span<const CodeColumn<Code>> columns, std::size_t rows,
                           std::vector<std::size_t> arities, bool merge_rows, std::shared_ptr<const void> memory)
    : observations_(rows),
      rows_(rows),
      arities_(std::move(arities)),
      stored_arities_(arities_),
      memory_(std::move(memory)) {
  if (columns.size() != arities_.size()) throw std::invalid_argument("one arity per column");
  if (rows > std::numeric_limits<Tally>::max()) throw std::invalid_argument("too many rows to count");
  for (const std::size_t arity : arities_)
    if (arity == 0 || arity > std::numeric_limits<std::uint16_t>::max())
      throw std::invalid_argument("a column has 1 to 65535 levels");
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (checked_for_gaps(columns[j], rows, arities_[j])) ++stored_arities_[j];
  const bool narrow = std::ranges::all_of(arities_, [](std::size_t a) { return a < max_narrow_arity; });
  if (narrow) take_narrow(columns, memory_ != nullptr);
  else take_wide(columns);
  if (narrow && merge_rows) merge_equal_rows();
  make_planes();
}

template <class Code>
void DiscreteData::take_narrow(std::span<const CodeColumn<Code>> columns, bool in_place) {
  const auto stays = [&](std::size_t j) {
    return sizeof(Code) == 1 && in_place && columns[j].row_stride == 1 && !has_missing(j);
  };
  std::size_t copied = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) copied += !stays(j);
  narrow_.resize(rows_ * copied);
  std::uint8_t* to = narrow_.data();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (stays(j)) {
      narrow_columns_.push_back(reinterpret_cast<const std::uint8_t*>(columns[j].codes));
      continue;
    }
    copy_column(columns[j], rows_, arities_[j], to);
    narrow_columns_.push_back(to);
    to += rows_;
  }
}

template <class Code>
void DiscreteData::take_wide(std::span<const CodeColumn<Code>> columns) {
  wide_.resize(rows_ * columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j)
    copy_column(columns[j], rows_, arities_[j], wide_.data() + j * rows_);
}

// Where all columns are copies, one after the other.
void DiscreteData::point_to_own() {
  narrow_columns_.clear();
  if (wide()) return;
  for (std::size_t j = 0; j < size(); ++j) narrow_columns_.push_back(narrow_.data() + j * rows_);
}

template DiscreteData::DiscreteData(std::span<const CodeColumn<std::uint8_t>>, std::size_t, std::vector<std::size_t>,
                                    bool, std::shared_ptr<const void>);
template DiscreteData::DiscreteData(std::span<const CodeColumn<std::uint16_t>>, std::size_t, std::vector<std::size_t>,
                                    bool, std::shared_ptr<const void>);

DiscreteData::DiscreteData(const DiscreteData& whole, std::span<const std::size_t> columns,
                           std::span<const Group> groups)
    : observations_(whole.observations_), rows_(groups.size()), plane_start_(columns.size(), no_node) {
  const std::size_t cells = rows_ * columns.size();
  if (whole.wide()) wide_.reserve(cells);
  else narrow_.reserve(cells);
  for (const std::size_t j : columns) {
    arities_.push_back(whole.arity(j));
    stored_arities_.push_back(whole.stored_arity(j));
    for (const Group& group : groups)
      if (whole.wide()) wide_.push_back(whole.wide_codes(j)[group.row]);
      else narrow_.push_back(whole.narrow_codes(j)[group.row]);
  }
  for (const Group& group : groups) weights_.push_back(group.observations);
  point_to_own();
}

void DiscreteData::merge_equal_rows() {
  std::size_t cells = 1;
  for (const std::size_t arity : stored_arities_)
    if ((cells *= arity) > max_mergeable_cells) return;
  std::vector<Tally> counts(cells);
  for (std::size_t i = 0; i < rows_; ++i) {
    std::size_t cell = 0;
    for (std::size_t j = 0; j < size(); ++j) cell = cell * stored_arities_[j] + narrow_codes(j)[i];
    ++counts[cell];
  }
  const auto distinct = cells - static_cast<std::size_t>(std::ranges::count(counts, Tally{0}));
  // A weighted row costs about as much as the planes need for this many rows.
  if (distinct * 16 > rows_) return;
  std::vector<std::uint8_t> merged(distinct * size());
  for (std::size_t cell = 0, row = 0; cell < cells; ++cell) {
    if (counts[cell] == 0) continue;
    std::size_t rest = cell;
    for (std::size_t j = size(); j-- > 0; rest /= stored_arities_[j])
      merged[j * distinct + row] = static_cast<std::uint8_t>(rest % stored_arities_[j]);
    weights_.push_back(counts[cell]);
    ++row;
  }
  narrow_ = std::move(merged);
  rows_ = distinct;
  point_to_own();
  memory_.reset();
}

const RowBits& DiscreteData::row_bits() const {
  const std::scoped_lock alone(late_bits_->making);
  if (!late_bits_->bits) late_bits_->bits = std::make_unique<const RowBits>(*this);
  return *late_bits_->bits;
}

void DiscreteData::make_planes() {
  plane_start_.assign(size(), no_node);
  if (wide() || !weights_.empty()) return;
  const std::size_t words = words_for(rows_);
  std::size_t total = 0;
  for (std::size_t j = 0; j < size(); ++j) {
    if (stored_arities_[j] > max_plane_levels) continue;
    plane_start_[j] = total;
    total += stored_arities_[j] * words;
  }
  planes_.resize(total);
  for (std::size_t j = 0; j < size(); ++j) {
    if (!has_planes(j)) continue;
    const std::uint8_t* codes = narrow_codes(j);
    Word* start = planes_.data() + plane_start_[j];
    for (std::size_t i = 0; i < rows_; ++i) start[codes[i] * words + i / word_bits] |= Word{1} << (i % word_bits);
  }
}

}  // namespace dagathlon
