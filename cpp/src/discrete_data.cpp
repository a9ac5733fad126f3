#include "dagathlon/discrete_data.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace dagathlon {

namespace {

constexpr std::size_t max_narrow_arity = 256;
constexpr std::size_t max_mergeable_cells = std::size_t{1} << 16;

// Copies a column; missing values become `arity`. Returns whether there were any.
template <class To, class From>
bool copy_column(const CodeColumn<From>& column, std::size_t rows, std::size_t arity, To* to) {
  constexpr From missing = std::numeric_limits<From>::max();
  bool any_missing = false;
  for (std::size_t i = 0; i < rows; ++i) {
    const From code = column.codes[static_cast<std::ptrdiff_t>(i) * column.row_stride];
    if (code >= arity && code != missing) throw std::invalid_argument("a code is not below the arity");
    any_missing |= code == missing;
    to[i] = static_cast<To>(std::min<std::size_t>(code, arity));
  }
  return any_missing;
}

}  // namespace

template <class Code>
DiscreteData::DiscreteData(std::span<const CodeColumn<Code>> columns, std::size_t rows,
                           std::vector<std::size_t> arities, bool merge_rows)
    : observations_(rows), rows_(rows), arities_(std::move(arities)), stored_arities_(arities_) {
  if (columns.size() != arities_.size()) throw std::invalid_argument("one arity per column");
  if (rows > std::numeric_limits<Tally>::max()) throw std::invalid_argument("too many rows to count");
  for (const std::size_t arity : arities_)
    if (arity == 0 || arity > std::numeric_limits<std::uint16_t>::max())
      throw std::invalid_argument("a column has 1 to 65535 levels");
  const bool narrow = std::ranges::all_of(arities_, [](std::size_t a) { return a < max_narrow_arity; });
  if (narrow) narrow_.resize(rows * columns.size());
  else wide_.resize(rows * columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const bool gaps = narrow ? copy_column(columns[j], rows, arities_[j], narrow_.data() + j * rows)
                             : copy_column(columns[j], rows, arities_[j], wide_.data() + j * rows);
    if (gaps) ++stored_arities_[j];
  }
  if (narrow && merge_rows) merge_equal_rows();
  make_planes();
}

template DiscreteData::DiscreteData(std::span<const CodeColumn<std::uint8_t>>, std::size_t,
                                    std::vector<std::size_t>, bool);
template DiscreteData::DiscreteData(std::span<const CodeColumn<std::uint16_t>>, std::size_t,
                                    std::vector<std::size_t>, bool);

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
    for (std::size_t i = 0; i < rows_; ++i)
      start[codes[i] * words + i / word_bits] |= Word{1} << (i % word_bits);
  }
}

}  // namespace dagathlon
