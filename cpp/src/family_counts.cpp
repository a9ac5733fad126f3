#include "dagathlon/family_counts.hpp"

#include <algorithm>
#include <array>

#include "dagathlon/common_bits.hpp"
#include "dagathlon/dispatch.hpp"

namespace dagathlon {

namespace {

// Words of a block: the masks of all cells of a block stay in the cache.
constexpr std::size_t block_words = 256;
// Above this many pairs of cells a histogram is faster than planes.
constexpr std::size_t max_plane_cells = 48;
// Candidates are counted in bytes with so many values: the more the fewer passes, as long as the table of
// a byte stays in the second cache and is small against the rows.
constexpr std::array<std::size_t, 3> byte_levels = {256, 64, 16};
constexpr std::size_t most_byte_cells = std::size_t{1} << 15;
constexpr std::size_t fewest_rows = std::size_t{1} << 14;

DAGATHLON_WIDE_CLONES void append_digit(const std::uint8_t* codes, std::size_t arity, std::vector<std::uint16_t>& index) {
  const auto factor = static_cast<std::uint16_t>(arity);
  std::uint16_t* to = index.data();
  const std::size_t rows = index.size();
  for (std::size_t i = 0; i < rows; ++i) to[i] = static_cast<std::uint16_t>(to[i] * factor + codes[i]);
}

}  // namespace

void CandidateCounts::lay_out(Nodes candidates, std::size_t cells) {
  cells_ = cells;
  start_.assign(1, 0);
  for (const std::size_t x : candidates) start_.push_back(start_.back() + cells * data_.arity(x));
  tables_.assign(start_.back(), 0);
}

bool CandidateCounts::planes_fit(std::size_t child, Nodes parents, Nodes candidates) const {
  if (!data_.weights().empty() || !data_.has_planes(child)) return false;
  std::size_t cells = data_.arity(child);
  for (const std::size_t s : parents) {
    if (!data_.has_planes(s) || (cells *= data_.arity(s)) > max_plane_cells) return false;
  }
  std::size_t pairs = 0;
  for (const std::size_t x : candidates) {
    if (!data_.has_planes(x)) return false;
    pairs += cells * (data_.arity(x) - 1);
  }
  return pairs <= max_plane_cells * candidates.size();
}

void CandidateCounts::count_planes(std::size_t child, Nodes parents, Nodes candidates) {
  family_.assign(1, child);
  family_.insert(family_.end(), parents.begin(), parents.end());
  std::size_t cells = 1;
  for (const std::size_t column : family_) cells *= data_.arity(column);
  lay_out(candidates, cells);
  const std::size_t words = words_for(data_.rows());
  for (std::size_t from = 0; from < words; from += block_words)
    count_block(candidates, from, std::min(block_words, words - from));
}

// masks_: for every cell the rows of the block that are in it; the child runs fastest.
void CandidateCounts::make_masks(std::size_t from, std::size_t words) {
  const std::size_t child = family_[0];
  masks_.resize(cells_ * block_words);
  for (std::size_t c = 0; c < data_.arity(child); ++c)
    std::copy_n(data_.plane(child, c).data() + from, words, masks_.data() + c * block_words);
  std::size_t cells = data_.arity(child);
  for (std::size_t k = 1; k < family_.size(); ++k) {
    next_masks_.assign(masks_.begin(), masks_.begin() + static_cast<std::ptrdiff_t>(cells * block_words));
    for (std::size_t level = 0; level < data_.arity(family_[k]); ++level) {
      const Word* plane = data_.plane(family_[k], level).data() + from;
      for (std::size_t cell = 0; cell < cells; ++cell) {
        const Word* old = next_masks_.data() + cell * block_words;
        Word* to = masks_.data() + (level * cells + cell) * block_words;
        for (std::size_t w = 0; w < words; ++w) to[w] = old[w] & plane[w];
      }
    }
    cells *= data_.arity(family_[k]);
  }
}

void CandidateCounts::count_block(Nodes candidates, std::size_t from, std::size_t words) {
  make_masks(from, words);
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const Word* mask = masks_.data() + cell * block_words;
    const auto total = static_cast<Tally>(count_common(mask, mask, words));
    if (total == 0) continue;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      Tally* counts = tables_.data() + start_[k] + cell;
      const std::size_t last = data_.arity(candidates[k]) - 1;
      Tally rest = total;
      for (std::size_t level = 0; level < last && rest > 0; ++level) {
        const auto found =
            static_cast<Tally>(count_common(mask, data_.plane(candidates[k], level).data() + from, words));
        counts[level * cells_] += found;
        rest -= found;
      }
      counts[last * cells_] += rest;
    }
  }
}

std::size_t CandidateCounts::levels_of_bytes(std::size_t child, Nodes parents) const {
  if (data_.wide() || !data_.weights().empty() || data_.rows() < fewest_rows) return 0;
  const std::size_t most = std::min(most_byte_cells, data_.rows() / 4);
  std::size_t cells = data_.arity(child);
  for (const std::size_t s : parents)
    if ((cells *= data_.arity(s)) > most) return 0;
  for (const std::size_t levels : byte_levels)
    if (cells * levels <= most) return levels;
  return 0;
}

const std::vector<PackedColumn>& CandidateCounts::bytes_of(std::size_t levels) {
  const auto known = std::ranges::find(bytes_, levels, &Bytes::levels);
  if (known != bytes_.end()) return known->columns;
  bytes_.push_back({levels, packed_columns(data_, levels)});
  return bytes_.back().columns;
}

// The same tables as count_rows gives, and empty rows for the configurations that do not occur.
void CandidateCounts::count_bytes(std::size_t child, Nodes parents, Nodes candidates, std::size_t levels) {
  family_.assign(parents.begin(), parents.end());
  family_.push_back(child);
  std::size_t cells = 1;
  for (const std::size_t column : family_) cells *= data_.arity(column);
  lay_out(candidates, cells);
  small_index_.assign(data_.rows(), 0);
  for (const std::size_t column : family_) append_digit(data_.narrow_codes(column), data_.arity(column), small_index_);
  std::size_t k = 0;
  for (const PackedColumn& packed : bytes_of(levels)) {
    const std::size_t from = k;
    while (k < candidates.size() && candidates[k] < packed.last) ++k;
    if (k == from) continue;
    count_byte(packed);
    for (std::size_t i = from; i < k; ++i)
      unpack_table(data_, packed, candidates[i], cells_, byte_table_, tables_.data() + start_[i]);
  }
}

// Four tables in turn, so that equal neighbours do not wait for each other's count.
void CandidateCounts::count_byte(const PackedColumn& packed) {
  const std::size_t size = cells_ * packed.levels;
  byte_table_.assign(4 * size, 0);
  Tally* const table = byte_table_.data();
  const auto cells = static_cast<std::uint32_t>(cells_);
  const auto place = [&](std::size_t i) { return packed.codes[i] * cells + small_index_[i]; };
  std::size_t i = 0;
  for (; i + 4 <= data_.rows(); i += 4) {
    ++table[place(i)];
    ++table[size + place(i + 1)];
    ++table[2 * size + place(i + 2)];
    ++table[3 * size + place(i + 3)];
  }
  for (; i < data_.rows(); ++i) ++table[place(i)];
  for (std::size_t cell = 0; cell < size; ++cell)
    table[cell] += table[size + cell] + table[2 * size + cell] + table[3 * size + cell];
}

void CandidateCounts::index_rows(std::size_t child, Nodes parents) {
  const RowGroups groups = group_rows(data_, parents);
  const std::size_t levels = data_.arity(child);
  cells_ = groups.count * levels;
  index_.resize(data_.rows());
  for (std::size_t row = 0; row < data_.rows(); ++row)
    index_[row] = static_cast<std::uint32_t>(groups.of_row[row] * levels + data_.code(child, row));
}

void CandidateCounts::count_rows(Nodes candidates) {
  lay_out(candidates, cells_);
  if (data_.wide()) count_rows_of<std::uint16_t>(candidates);
  else count_rows_of<std::uint8_t>(candidates);
}

// Several candidates in one pass: their tables are apart, so that counts of one do not wait for
// those of another.
template <class Code>
void CandidateCounts::count_rows_of(Nodes candidates) {
  std::array<const Code*, at_once> codes{};
  std::array<Tally*, at_once> tables{};
  const auto column = [&](std::size_t x) {
    if constexpr (sizeof(Code) == 1) return data_.narrow_codes(x);
    else return data_.wide_codes(x);
  };
  const auto count = [&]<std::size_t... k>(std::index_sequence<k...>) {
    for (std::size_t row = 0; row < data_.rows(); ++row) {
      const Tally weight = data_.weights().empty() ? 1 : data_.weights()[row];
      const std::uint32_t base = index_[row];
      ((tables[k][base + codes[k][row] * cells_] += weight), ...);
    }
  };
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    codes[k] = column(candidates[k]);
    tables[k] = tables_.data() + start_[k];
  }
  switch (candidates.size()) {
    case 1: return count(std::make_index_sequence<1>());
    case 2: return count(std::make_index_sequence<2>());
    case 3: return count(std::make_index_sequence<3>());
    default: return count(std::make_index_sequence<4>());
  }
}

}  // namespace dagathlon
