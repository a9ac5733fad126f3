// The inverse of a positive definite matrix.
#pragma once

#include <cstddef>
#include <optional>

#include "dagathlon/linalg/aligned.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// Inverts symmetric matrices; its memory serves for one after another.
//
// Blocks of rows are swept one after another, on one half of the matrix: as many operations as a Cholesky
// factor and the inverse by it, nearly all of them in one product of two thin matrices. Sums run in one
// fixed order, however wide the registers are.
class PositiveInverse {
 public:
  // Puts the inverse into `out`, which may be the matrix itself, and gives the logarithm of the determinant of
  // the matrix. Nothing, and `out` as it was, for one that is not positive definite.
  std::optional<double> operator()(const SquareMatrix& matrix, SquareMatrix& out);

 private:
  void begin(const SquareMatrix& matrix);
  bool sweep(std::size_t first);
  void take_panel(std::size_t first, std::size_t depth);
  void update(std::size_t depth);
  void put_panel(std::size_t first, std::size_t depth);
  void write(SquareMatrix& matrix) const;

  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  // The upper half of the matrix: after all sweeps minus the inverse.
  AlignedVector<double> values_;
  // The rows of the block as they were, and multiplied by the inverse of its own square: strips of eight columns.
  AlignedVector<double> panel_;
  AlignedVector<double> swept_;
  AlignedVector<double> pivot_;
  double log_determinant_ = 0.0;
};

}  // namespace dagathlon
