#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t bytes = SquareMatrix::width * sizeof(double);
using Lane = double __attribute__((vector_size(bytes), aligned(alignof(double)), may_alias));
using Bits = std::int64_t __attribute__((vector_size(bytes), aligned(alignof(double)), may_alias));

// Columns that are eliminated before the others hear of it: then each number of the others is read once for all of
// them. What is added to a number, and in which order, is as if they were eliminated one by one.
constexpr std::size_t many = 16;

// Adds to each row its multiple of the row that was eliminated with, in one block of columns; column `at` begins at 0.
DAGATHLON_WIDE_CLONES void eliminate(double* rows, const double* by, double* factors, std::size_t at,
                                     std::size_t height, std::size_t width, std::size_t stride) {
  static_assert(many == 2 * SquareMatrix::width);
  // In registers: a number that was just written is not there yet for one who reads its whole row.
  Bits kept[2];
  for (std::size_t k = 0; k < many; ++k) kept[k / SquareMatrix::width][k % SquareMatrix::width] = k == at ? 0 : -1;
  const auto add = [&](double* to, double factor, std::size_t half) {
    Lane& lane = *reinterpret_cast<Lane*>(to + half * SquareMatrix::width);
    const Lane row = *reinterpret_cast<const Lane*>(by + half * SquareMatrix::width);
    lane = reinterpret_cast<Lane>(reinterpret_cast<Bits>(lane) & kept[half]) + factor * row;
  };
  for (std::size_t i = 0; i < height; ++i) {
    double* row = rows + i * stride;
    const double factor = factors[i * many] = -row[at];
    add(row, factor, 0);
    if (width == many) add(row, factor, 1);
  }
}

// The same for other columns, with all rows of a block one after the other.
DAGATHLON_WIDE_CLONES void eliminate_rest(double* rows, const double* by, const double* factors, std::size_t height,
                                          std::size_t columns, std::size_t stride) {
  static_assert(SquareMatrix::height == 4);
  for (std::size_t i = 0; i < height; i += SquareMatrix::height) {
    const double* top = factors + i * many;
    for (std::size_t j = 0; j < columns; j += SquareMatrix::width) {
      double* corner = rows + i * stride + j;
      Lane first = *reinterpret_cast<const Lane*>(corner);
      Lane second = *reinterpret_cast<const Lane*>(corner + stride);
      Lane third = *reinterpret_cast<const Lane*>(corner + 2 * stride);
      Lane fourth = *reinterpret_cast<const Lane*>(corner + 3 * stride);
      for (std::size_t k = 0; k < many; ++k) {
        const Lane row = *reinterpret_cast<const Lane*>(by + k * stride + j);
        first += top[k] * row;
        second += top[many + k] * row;
        third += top[2 * many + k] * row;
        fourth += top[3 * many + k] * row;
      }
      *reinterpret_cast<Lane*>(corner) = first;
      *reinterpret_cast<Lane*>(corner + stride) = second;
      *reinterpret_cast<Lane*>(corner + 2 * stride) = third;
      *reinterpret_cast<Lane*>(corner + 3 * stride) = fourth;
    }
  }
}

// Gauss-Jordan elimination in place: a column that was eliminated makes room for one of the inverse.
class Elimination {
 public:
  enum class Pivots : std::uint8_t { largest, on_diagonal };

  Elimination(const SquareMatrix& a, Pivots pivots)
      : n_(a.size()),
        stride_(a.stride()),
        one_block_(n_ <= many),
        pivots_(pivots),
        matrix_(a),
        column_of_(n_),
        factors_((n_ + SquareMatrix::height - 1) / SquareMatrix::height * SquareMatrix::height * many),
        by_(one_block_ ? 0 : many * stride_) {
    std::iota(column_of_.begin(), column_of_.end(), std::size_t{0});
  }

  // Whether the matrix is regular, and with pivots on the diagonal whether all are positive.
  bool run() {
    for (std::size_t begin = 0; begin < n_; begin += many) {
      const std::size_t end = std::min(n_, begin + many);
      if (begin > 0) std::ranges::fill(factors_, 0.0);
      for (std::size_t column = begin; column < end; ++column)
        if (!step(column, begin)) return false;
      if (!one_block_) rest(begin);
    }
    return true;
  }

  Inverse result() && {
    if (std::ranges::is_sorted(column_of_)) return {std::move(matrix_), log_determinant_};
    SquareMatrix sorted(n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) sorted(i, column_of_[j]) = matrix_(i, j);
    return {std::move(sorted), log_determinant_};
  }

 private:
  double* factors(std::size_t row) { return factors_.data() + row * many; }
  double* by(std::size_t k) { return by_.data() + k * stride_; }

  bool step(std::size_t column, std::size_t begin) {
    pulse::beat(n_ * n_);
    const std::size_t pivot = pivots_ == Pivots::largest ? largest_below(column) : column;
    const double value = matrix_(pivot, column);
    if (!(std::abs(value) > 0.0) || !std::isfinite(value)) return false;
    if (pivots_ == Pivots::on_diagonal && value < 0.0) return false;
    if (pivot != column) exchange(pivot, column);
    log_determinant_ += std::log(std::abs(value));
    if (!one_block_) catch_up(column, begin);
    double* row = matrix_.row(column);
    row[column] = 1.0;
    for (std::size_t k = 0; k < n_; ++k) row[k] /= value;
    if (!one_block_) std::copy_n(row, stride_, by(column - begin));
    const std::size_t width = std::min(many, stride_ - begin);
    const auto others = [&](std::size_t from, std::size_t to) {
      eliminate(matrix_.row(from) + begin, row + begin, factors(from) + (column - begin), column - begin, to - from,
                width, stride_);
    };
    others(0, column);
    others(column + 1, n_);
    return true;
  }

  std::size_t largest_below(std::size_t column) const {
    std::size_t result = column;
    for (std::size_t i = column + 1; i < n_; ++i)
      if (std::abs(matrix_(i, column)) > std::abs(matrix_(result, column))) result = i;
    return result;
  }

  void exchange(std::size_t i, std::size_t j) {
    std::swap_ranges(matrix_.row(i), matrix_.row(i) + n_, matrix_.row(j));
    std::swap_ranges(factors(i), factors(i) + many, factors(j));
    std::swap(column_of_[i], column_of_[j]);
  }

  // What the rest of a row has not heard of yet.
  void catch_up(std::size_t row, std::size_t begin) {
    const std::size_t end = std::min(begin + many, stride_);
    for (std::size_t k = 0; k < row - begin; ++k) {
      const double factor = std::exchange(factors(row)[k], 0.0);
      add_multiple(matrix_.row(row), by(k), factor, begin);
      add_multiple(matrix_.row(row) + end, by(k) + end, factor, stride_ - end);
    }
  }

  void rest(std::size_t begin) {
    const std::size_t end = std::min(begin + many, stride_);
    const std::size_t height = factors_.size() / many;
    eliminate_rest(matrix_.row(0), by(0), factors(0), height, begin, stride_);
    eliminate_rest(matrix_.row(0) + end, by(0) + end, factors(0), height, stride_ - end, stride_);
  }

  std::size_t n_, stride_;
  bool one_block_;
  Pivots pivots_;
  SquareMatrix matrix_;
  // Which column of the inverse stands where.
  std::vector<std::size_t> column_of_;
  // Of the present block: each row's multiples of the rows that were eliminated with, and these rows.
  std::vector<double> factors_;
  std::vector<double> by_;
  double log_determinant_ = 0.0;
};

std::optional<Inverse> inverse(const SquareMatrix& a, Elimination::Pivots pivots) {
  Elimination elimination(a, pivots);
  if (!elimination.run()) return std::nullopt;
  return std::move(elimination).result();
}

}  // namespace

std::optional<Inverse> inverse(const SquareMatrix& a) { return inverse(a, Elimination::Pivots::largest); }

std::optional<Inverse> m_matrix_inverse(const SquareMatrix& a) { return inverse(a, Elimination::Pivots::on_diagonal); }

}  // namespace dagathlon
