#include "dagathlon/data/row_bits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// With fewer rows other ways to count are as fast.
constexpr std::size_t fewest_rows = std::size_t{1} << 14;
// Rows that stay in the fastest cache while one column after another is written to them.
constexpr std::size_t block_rows = 1024;
// With more bits than these a row has so many words that columns are counted as fast one by one.
constexpr std::size_t bits_per_column = 6;

// Where the bits of a column with so many levels end, if those of the columns before it end here.
std::size_t after(std::size_t bits, std::size_t levels) {
  const std::size_t needed = levels - 1;
  const bool fits = bits % word_bits + needed <= word_bits;
  return (fits ? bits : words_for(bits) * word_bits) + needed;
}

}  // namespace

bool RowBits::suit(const DiscreteData& data) {
  if (data.rows() < fewest_rows || data.wide() || !data.weights().empty()) return false;
  std::size_t bits = 1;
  for (std::size_t j = 0; j < data.size(); ++j) {
    if (data.has_missing(j) || data.arity(j) > max_levels) return false;
    bits = after(bits, data.arity(j));
  }
  return words_for(bits) <= words_for(bits_per_column * data.size());
}

RowBits::RowBits(const DiscreteData& data) {
  lay_out(data);
  fill(data);
}

void RowBits::lay_out(const DiscreteData& data) {
  for (std::size_t j = 0; j < data.size(); ++j) {
    const std::size_t end = after(bits_, data.arity(j));
    place_.push_back(end - (data.arity(j) - 1));
    bits_ = end;
  }
  words_ = words_for(bits_);
}

void RowBits::fill(const DiscreteData& data) {
  rows_.assign(data.rows() * words_, 0);
  for (std::size_t start = 0; start < data.rows(); start += block_rows) {
    const std::size_t rows = std::min(block_rows, data.rows() - start);
    pulse::beat(rows * data.size());
    Word* const block = rows_.data() + start * words_;
    for (std::size_t i = 0; i < rows; ++i) block[i * words_] = 1;
    for (std::size_t j = 0; j < data.size(); ++j) {
      std::array<Word, max_levels> bit_of{};
      for (std::size_t level = 0; level + 1 < data.arity(j); ++level)
        bit_of[level] = Word{1} << ((place_[j] + level) % word_bits);
      const std::uint8_t* codes = data.narrow_codes(j) + start;
      Word* const word = block + std::min(place_[j] / word_bits, words_ - 1);
      for (std::size_t i = 0; i < rows; ++i) word[i * words_] |= bit_of[codes[i]];
    }
  }
}

}  // namespace dagathlon
