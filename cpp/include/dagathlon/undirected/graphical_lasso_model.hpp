// The quadratic model of a Newton step of the graphical lasso, and coordinate descent on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/linalg/aligned.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// One entry of the upper half that can move.
struct LassoEntry {
  std::uint32_t column;
  std::uint32_t mirror;  // place in the lower half of the step
  double value;          // after the step, as found so far
  double gradient;       // of the smooth part, before the step
  double radius;         // of curvature
};

// The entries row by row; row i has those from begins[i] to begins[i + 1].
struct LassoEntries {
  std::vector<LassoEntry> all;
  std::vector<std::size_t> begins;

  std::span<LassoEntry> row(std::size_t i) { return {all.data() + begins[i], begins[i + 1] - begins[i]}; }
};

struct LassoPenalties {
  double other, diagonal;
};

// The places of a symmetric matrix with few entries: those of the upper half, and both halves row by row.
struct LassoPattern {
  std::vector<std::uint32_t> rows, columns;
  // Row i of both halves: columns from begins[i] on, and which entry of the upper half each is.
  std::vector<std::size_t> begins;
  std::vector<std::uint32_t> places, which;

  std::size_t size() const { return rows.size(); }
  // Fills `begins`, `places` and `which` from the upper half of a matrix with `n` rows.
  void index(std::size_t n);
};

// With step D and inverse W the gradient moves by W·D·W. It is kept in single precision: it is computed over and
// over, the direction that comes of it need not be exact, and the gradient at which it begins is. Of D·W a block of
// columns is there at a time, made anew of the step when a sweep comes to it: they stay in the nearest cache, as the
// whole would not.
class LassoModel {
 public:
  explicit LassoModel(std::size_t size);

  // A step of zero from the matrix with this inverse.
  void begin(const SquareMatrix& inverse, LassoEntries& entries);

  // The step from this matrix to the values of the entries, which were changed elsewhere.
  void set_step(LassoEntries& entries, const SquareMatrix& precision);

  // out = the entries of W·D·W at the places of the matrix D of the values.
  void curve(const LassoPattern& pattern, std::span<const double> values, std::span<double> out);

  // One descent over all entries, or those that are not zero; the largest change of a slope that it made.
  double sweep(LassoEntries& entries, const LassoPenalties& penalties, bool only_nonzero);

  // Columns that are there at a time.
  static constexpr std::size_t block = 16;
  // The same for curve().
  static constexpr std::size_t wide_block = 256;

 private:
  void place(LassoEntries& entries);
  void take_columns(std::size_t first);

  std::size_t size_, stride_, column_stride_;
  // Such that the diagonal of the inverse is one.
  std::vector<double> scales_;
  AlignedVector<float> inverse_;
  // The step in those scales: both halves, row by row. Of a row the lower half comes first.
  std::vector<std::size_t> begins_, uppers_;
  std::vector<std::uint32_t> places_;
  std::vector<float> step_;
  // The block of columns of the inverse, row by row, and of the step by the inverse, column by column.
  AlignedVector<float> panel_;
  AlignedVector<float> columns_;
  // Columns of D·W that curve() has at a time, column by column, and the values of both halves of D.
  AlignedVector<float> turned_;
  std::vector<float> factors_;
};

}  // namespace dagathlon
