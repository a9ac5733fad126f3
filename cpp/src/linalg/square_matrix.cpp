#include "dagathlon/linalg/square_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

std::size_t padded(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

// One register of the widest machine, several of the others; memory need not be aligned.
using Lane =
    double __attribute__((vector_size(SquareMatrix::width * sizeof(double)), aligned(alignof(double)), may_alias));

// Rows of the output that are kept in registers while all of one dimension is summed.
DAGATHLON_WIDE_CLONES void multiply_padded(const double* a, const double* b, double* out, std::size_t size,
                                           std::size_t rows, std::size_t stride) {
  static_assert(SquareMatrix::height == 4);
  for (std::size_t i = 0; i < rows; i += SquareMatrix::height) {
    const double* top = a + i * stride;
    for (std::size_t j = 0; j < stride; j += SquareMatrix::width) {
      Lane first{}, second{}, third{}, fourth{};
      for (std::size_t k = 0; k < size; ++k) {
        const Lane factors = *reinterpret_cast<const Lane*>(b + k * stride + j);
        first += top[k] * factors;
        second += top[stride + k] * factors;
        third += top[2 * stride + k] * factors;
        fourth += top[3 * stride + k] * factors;
      }
      double* corner = out + i * stride + j;
      *reinterpret_cast<Lane*>(corner) = first;
      *reinterpret_cast<Lane*>(corner + stride) = second;
      *reinterpret_cast<Lane*>(corner + 2 * stride) = third;
      *reinterpret_cast<Lane*>(corner + 3 * stride) = fourth;
    }
  }
}

double largest_column_sum(const SquareMatrix& a) {
  std::vector<double> sums(a.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j) sums[j] += std::abs(a(i, j));
  return a.size() ? *std::max_element(sums.begin(), sums.end()) : 0.0;
}

void add_identity(SquareMatrix& a) {
  for (std::size_t i = 0; i < a.size(); ++i) a(i, i) += 1.0;
}

void scale(SquareMatrix& a, double factor) {
  for (double& cell : a.cells()) cell *= factor;
}

// Sum of a^k/k! up to k = 12 in three blocks of powers of a^4 (Paterson and Stockmeyer 1973).
SquareMatrix exponential_series(const SquareMatrix& a) {
  const std::size_t n = a.size();
  SquareMatrix powers[4] = {SquareMatrix::identity(n), a, SquareMatrix(n), SquareMatrix(n)};
  multiply(a, a, powers[2]);
  multiply(a, powers[2], powers[3]);
  SquareMatrix fourth(n), product(n);
  multiply(powers[2], powers[2], fourth);
  double factorials[13] = {1.0};
  for (int k = 1; k <= 12; ++k) factorials[k] = factorials[k - 1] * k;
  SquareMatrix sum = fourth;
  scale(sum, 1.0 / factorials[12]);
  for (int block = 2; block >= 0; --block) {
    for (int k = 0; k < 4; ++k)
      add_multiple(sum.cells().data(), powers[k].cells().data(), 1.0 / factorials[4 * block + k], sum.cells().size());
    if (block == 0) break;
    multiply(sum, fourth, product);
    std::swap(sum, product);
  }
  return sum;
}

}  // namespace

SquareMatrix::SquareMatrix(std::size_t size)
    : size_(size), stride_(padded(size, width)), values_(padded(size, height) * stride_) {}

SquareMatrix::SquareMatrix(std::span<const double> rows, std::size_t size) : SquareMatrix(size) {
  for (std::size_t i = 0; i < size; ++i) std::copy_n(rows.data() + i * size, size, row(i));
}

SquareMatrix SquareMatrix::identity(std::size_t size) {
  SquareMatrix result(size);
  add_identity(result);
  return result;
}

std::vector<double> SquareMatrix::rows() const {
  std::vector<double> result(size_ * size_);
  for (std::size_t i = 0; i < size_; ++i) std::copy_n(row(i), size_, result.data() + i * size_);
  return result;
}

void multiply(const SquareMatrix& a, const SquareMatrix& b, SquareMatrix& out) {
  // As many rows at once as keep the pulse alive.
  constexpr std::size_t operations_per_beat = std::size_t{1} << 20;
  const std::size_t rows = padded(a.size(), SquareMatrix::height);
  const std::size_t fit = operations_per_beat / std::max<std::size_t>(a.size() * a.stride(), 1);
  const std::size_t block = padded(std::max<std::size_t>(fit, 1), SquareMatrix::height);
  for (std::size_t i = 0; i < rows; i += block) {
    const std::size_t height = std::min(block, rows - i);
    pulse::beat(height * a.size() * a.stride());
    multiply_padded(a.row(i), b.row(0), out.row(i), a.size(), height, a.stride());
  }
}

SquareMatrix power(const SquareMatrix& base, std::size_t exponent) {
  if (exponent == 0) return SquareMatrix::identity(base.size());
  SquareMatrix result = base, scratch(base.size());
  std::size_t bit = 1;
  while (bit <= exponent / 2) bit *= 2;
  for (bit /= 2; bit > 0; bit /= 2) {
    multiply(result, result, scratch);
    std::swap(result, scratch);
    if ((exponent & bit) == 0) continue;
    multiply(result, base, scratch);
    std::swap(result, scratch);
  }
  return result;
}

SquareMatrix exponential(const SquareMatrix& a) {
  // With a norm of at most 0.4 the first term left out is below 1e-15.
  constexpr double small = 0.4;
  const double norm = largest_column_sum(a);
  int squarings = 0;
  for (double left = norm; left > small && squarings < 1100; left /= 2) ++squarings;
  SquareMatrix scaled = a;
  scale(scaled, std::ldexp(1.0, -squarings));
  SquareMatrix result = exponential_series(scaled), scratch(a.size());
  for (; squarings > 0; --squarings) {
    multiply(result, result, scratch);
    std::swap(result, scratch);
  }
  return result;
}

double trace(const SquareMatrix& a) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a(i, i);
  return sum;
}

SquareMatrix transposed(const SquareMatrix& a) {
  // Squares of one line of memory each way: a column of a large matrix would push itself out of the cache.
  constexpr std::size_t side = SquareMatrix::width;
  const std::size_t n = a.size();
  SquareMatrix result(n);
  for (std::size_t top = 0; top < n; top += side)
    for (std::size_t left = 0; left < n; left += side)
      for (std::size_t i = top; i < std::min(n, top + side); ++i)
        for (std::size_t j = left; j < std::min(n, left + side); ++j) result(j, i) = a(i, j);
  return result;
}

}  // namespace dagathlon
