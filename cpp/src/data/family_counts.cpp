#include "dagathlon/data/family_counts.hpp"

#include <algorithm>
#include <array>

#include "dagathlon/graph/common_bits.hpp"

namespace dagathlon {

namespace {

// Words of a block: the masks of all cells of a block stay in the cache.
constexpr std::size_t block_words = 256;
// Above this many pairs of cells a histogram is faster than planes.
constexpr std::size_t max_plane_cells = 48;

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

bool CandidateCounts::sets_pay(std::size_t child, Nodes parents) {
  std::size_t cells = data_.arity(child);
  for (const std::size_t s : parents)
    if ((cells *= data_.arity(s)) > data_.rows()) return false;
  return sets_.counts(cells);
}

// The same tables as the other ways give, in the same order, and empty rows for configurations that do not occur.
void CandidateCounts::count_sets(std::size_t child, Nodes parents, Nodes candidates, Nodes likely,
                                 bool last_parent_first) {
  family_.assign(parents.begin(), parents.end());
  if (last_parent_first) std::ranges::reverse(family_);
  family_.push_back(child);
  const SetCounts::Sums& sums = sets_.of(family_, likely);
  lay_out(candidates, sums.cells);
  for (std::size_t cell = 0; cell < sums.cells; ++cell) {
    const Tally* const counts = sums.cell(cell);
    if (counts[0] == 0) continue;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const Tally* from = counts + sets_.place(candidates[k]);
      Tally* to = tables_.data() + start_[k] + cell;
      Tally rest = counts[0];
      for (std::size_t level = 0; level + 1 < data_.arity(candidates[k]); ++level, to += cells_) {
        *to = from[level];
        rest -= from[level];
      }
      *to = rest;
    }
  }
}

bool CandidateCounts::recall(std::size_t child, Nodes parents, std::vector<Tally>& table) {
  family_.assign(parents.begin(), parents.end());
  family_.push_back(child);
  return sets_.totals(family_, table);
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
