// Discrete rows by what they have in less than the commonest way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/data/discrete_data.hpp"

namespace dagathlon {

// Codes renumbered so that the commonest level of each column is 0. Rows are mostly made of these, and
// only the others are ever counted: "rare" values.
class RareValues {
 public:
  explicit RareValues(const DiscreteData& data);

  std::size_t rows() const { return rows_; }
  const std::uint8_t* codes(std::size_t column) const { return codes_.data() + column * rows_; }
  Tally weight(std::size_t row) const { return weights_[row]; }
  // Where a column's rare levels start among those of all columns.
  std::size_t start(std::size_t column) const { return starts_[column]; }
  std::size_t width(std::size_t column) const { return starts_[column + 1] - starts_[column]; }
  std::size_t total_width() const { return starts_.back(); }
  // The rare values of a row, in the order of the columns.
  std::span<const std::uint32_t> of_row(std::size_t row) const {
    return {of_row_.data() + of_row_start_[row], of_row_start_[row + 1] - of_row_start_[row]};
  }

 private:
  void renumber(const DiscreteData& data, std::size_t column);

  std::size_t rows_;
  std::vector<std::uint8_t> codes_;
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> of_row_;
  std::vector<std::size_t> of_row_start_;
  std::vector<Tally> weights_;
};

}  // namespace dagathlon
