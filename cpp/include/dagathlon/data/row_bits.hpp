// Rows of discrete data as bits, so that adding up rows, bit by bit, counts all columns at once.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

class DiscreteData;

// A row is a few words. Its first bit is always set; a column has a bit for each level but the last, in one word.
class RowBits {
 public:
  // Columns with more levels do not fit into a word.
  static constexpr std::size_t max_levels = word_bits;

  // Not data that are wide or weighted, have gaps, many levels, or few rows.
  static bool suit(const DiscreteData& data);

  explicit RowBits(const DiscreteData& data);

  // Words of a row, and its bits up to the last that a column has.
  std::size_t words() const { return words_; }
  std::size_t bits() const { return bits_; }
  // Which bit stands for the first level of a column.
  std::size_t place(std::size_t column) const { return place_[column]; }
  const Word* row(std::size_t i) const { return rows_.data() + i * words_; }

 private:
  void lay_out(const DiscreteData& data);
  void fill(const DiscreteData& data);

  std::size_t words_ = 0;
  std::size_t bits_ = 1;
  std::vector<std::size_t> place_;
  std::vector<Word> rows_;
};

}  // namespace dagathlon
