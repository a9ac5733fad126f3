// Square matrices of doubles and their products, without a library of linear algebra.
//
// Rows are padded to whole registers. Sums run in one fixed order, however wide the registers are,
// so that the same matrices have the same products on every machine.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace dagathlon {

class SquareMatrix {
 public:
  static constexpr std::size_t width = 8;
  static constexpr std::size_t height = 4;

  explicit SquareMatrix(std::size_t size = 0);
  // A copy of row after row.
  SquareMatrix(std::span<const double> rows, std::size_t size);
  static SquareMatrix identity(std::size_t size);

  std::size_t size() const { return size_; }
  std::size_t stride() const { return stride_; }
  double& operator()(std::size_t i, std::size_t j) { return values_[i * stride_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values_[i * stride_ + j]; }
  double* row(std::size_t i) { return values_.data() + i * stride_; }
  const double* row(std::size_t i) const { return values_.data() + i * stride_; }
  // All values with the padding, which is zero.
  std::span<double> cells() { return values_; }
  std::span<const double> cells() const { return values_; }
  // The values without the padding, row after row.
  std::vector<double> rows() const;

 private:
  std::size_t size_;
  std::size_t stride_;
  std::vector<double> values_;
};

// out = a·b; `out` is neither of them.
void multiply(const SquareMatrix& a, const SquareMatrix& b, SquareMatrix& out);
SquareMatrix power(const SquareMatrix& base, std::size_t exponent);
// The exponential, by scaling, a polynomial and repeated squaring.
SquareMatrix exponential(const SquareMatrix& a);
double trace(const SquareMatrix& a);
SquareMatrix transposed(const SquareMatrix& a);

struct Inverse {
  SquareMatrix matrix;
  // Logarithm of the absolute value of the determinant of the inverted matrix.
  double log_determinant;
};
// By elimination with row exchanges; nothing for a singular matrix.
std::optional<Inverse> inverse(const SquareMatrix& a);
// The inverse of a matrix with no positive entry off the diagonal; nothing unless it is an M-matrix, that is all its
// leading minors are positive. Nothing cancels on the way, so that no entry of the inverse is negative.
std::optional<Inverse> m_matrix_inverse(const SquareMatrix& a);

}  // namespace dagathlon
