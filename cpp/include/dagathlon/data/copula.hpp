// Latent Gaussian data of which only the order within each column was observed: the Gaussian copula with the
// extended rank likelihood (Hoff 2007; Dobra and Lenkoski 2011).
//
// Given a precision matrix, each latent value is normal given the others of its row, between the latent values
// of the next smaller and the next larger level of its column. Values that are missing are not bounded. Where there
// are many rows, values between close neighbours hardly move one by one; so all values of a column, and those above
// some levels, are shifted together too, and the column is stretched (moves by groups: Liu and Sabatti 2000).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/stats/random.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

class CopulaLatents {
 public:
  // What was seen of a column: the level of each row, from 0 on, each level in some row; `missing` where nothing
  // was seen. Where the levels are kept, they stay at the values that they begin with.
  static constexpr std::int32_t missing = -1;
  struct Column {
    std::vector<std::int32_t> levels;
    // The latent value of each level at the start, increasing.
    std::vector<double> start;
    bool kept = false;
  };

  explicit CopulaLatents(std::vector<Column> columns);

  std::size_t rows() const { return rows_; }
  std::size_t size() const { return columns_.size(); }
  std::span<const double> column(std::size_t j) const { return {values_.data() + j * rows_, rows_}; }

  // Draws all latent values once, column by column, given those of the other columns.
  void update(const SquareMatrix& precision, Stream& random);
  // Sums of products of all columns, by row.
  std::span<const double> scatter();

 private:
  struct Levels {
    // Rows of level k are order[starts[k]] to order[starts[k + 1]]; then those without a level.
    std::vector<std::size_t> order;
    std::vector<std::size_t> starts;
    bool kept;
  };

  void update_column(std::size_t j, const SquareMatrix& precision, Stream& random);
  void find_means(std::size_t j, const SquareMatrix& precision);
  void draw_between(std::size_t j, double deviation, Stream& random);
  void shift_from(std::size_t level, std::size_t j, double deviation, Stream& random);
  void stretch(std::size_t j, double deviation, Stream& random);

  std::size_t rows_;
  std::vector<Levels> columns_;
  // Column after column.
  std::vector<double> values_;
  std::vector<double> means_;
  std::vector<double> scatter_;
};

}  // namespace dagathlon
