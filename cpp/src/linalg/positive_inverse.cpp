#include "dagathlon/linalg/positive_inverse.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// A tile of the matrix has as many rows as columns; a block of rows is swept at once.
constexpr std::size_t tile = 8;
constexpr std::size_t block = 32;

using Lane = double __attribute__((vector_size(tile * sizeof(double)), aligned(alignof(double)), may_alias));

std::size_t tiles_of(std::size_t size) { return (size + tile - 1) / tile; }

// Takes the product of two strips (depth × 8 values each) from the 8 × 8 values at `corner`.
[[gnu::always_inline]] inline void subtract_product(const double* rows, const double* columns, double* corner,
                                                    std::size_t stride, std::size_t depth) {
  Lane sums[tile]{};
  for (std::size_t m = 0; m < depth; ++m) {
    const Lane factors = *reinterpret_cast<const Lane*>(columns + m * tile);
    for (std::size_t r = 0; r < tile; ++r) sums[r] += rows[m * tile + r] * factors;
  }
  for (std::size_t r = 0; r < tile; ++r) *reinterpret_cast<Lane*>(corner + r * stride) -= sums[r];
}

// The tiles of one row of tiles from the diagonal on.
DAGATHLON_WIDE_CLONES void subtract_products(const double* rows, const double* columns, double* corner,
                                             std::size_t stride, std::size_t depth, std::size_t tiles) {
  for (std::size_t t = 0; t < tiles; ++t)
    subtract_product(rows, columns + t * block * tile, corner + t * tile, stride, depth);
}

// A square of `block` rows, zero from `depth` on, by a strip of eight columns.
DAGATHLON_WIDE_CLONES void multiply_strip(const double* square, const double* strip, double* out, std::size_t depth) {
  constexpr std::size_t height = 8;
  for (std::size_t r = 0; r < block; r += height) {
    Lane sums[height]{};
    for (std::size_t m = 0; m < depth; ++m) {
      const Lane factors = *reinterpret_cast<const Lane*>(strip + m * tile);
      // The square is symmetric: its rows are its columns.
      for (std::size_t k = 0; k < height; ++k) sums[k] += square[m * block + r + k] * factors;
    }
    for (std::size_t k = 0; k < height; ++k) *reinterpret_cast<Lane*>(out + (r + k) * tile) = sums[k];
  }
}

// Minus the inverse of a small matrix, row by row; false where a pivot is not positive. Nothing beyond `size` changes.
DAGATHLON_WIDE_CLONES bool sweep_block(double* square, std::size_t size, double* pivots) {
  for (std::size_t k = 0; k < size; ++k) {
    double* own = square + k * block;
    const double pivot = pivots[k] = own[k];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    own[k] = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      double* other = square + i * block;
      const double factor = other[k] / pivot;
      for (std::size_t j = 0; j < block; ++j) other[j] -= factor * own[j];
      if (i != k) other[k] = factor;
    }
    for (std::size_t j = 0; j < block; ++j) own[j] /= pivot;
    own[k] = -1.0 / pivot;
  }
  return true;
}

// The inverse of a small matrix, and what it adds to the logarithm of the determinant.
bool invert_block(double* square, std::size_t size, double& log_determinant) {
  double pivots[block];
  if (!sweep_block(square, size, pivots)) return false;
  for (std::size_t k = 0; k < size; ++k) log_determinant += std::log(pivots[k]);
  for (std::size_t k = 0; k < block * block; ++k) square[k] = -square[k];
  return true;
}

// The values of one column in a block of rows: every eighth from here.
double* strip(AlignedVector<double>& strips, std::size_t column) {
  return strips.data() + column / tile * block * tile + column % tile;
}

}  // namespace

std::optional<double> PositiveInverse::operator()(const SquareMatrix& matrix, SquareMatrix& out) {
  begin(matrix);
  for (std::size_t first = 0; first < size_; first += block)
    if (!sweep(first)) return std::nullopt;
  write(out);
  return log_determinant_;
}

void PositiveInverse::begin(const SquareMatrix& matrix) {
  size_ = matrix.size();
  stride_ = tiles_of(size_) * tile;
  log_determinant_ = 0.0;
  values_.resize(stride_ * stride_);
  panel_.resize(stride_ * block);
  swept_.resize(stride_ * block);
  pivot_.resize(block * block);
  // Rows of the matrix are padded with zeros as well.
  for (std::size_t i = 0; i < size_; ++i) std::copy_n(matrix.row(i), stride_, values_.data() + i * stride_);
  std::fill(values_.begin() + static_cast<std::ptrdiff_t>(size_ * stride_), values_.end(), 0.0);
}

bool PositiveInverse::sweep(std::size_t first) {
  const std::size_t depth = std::min(block, size_ - first);
  take_panel(first, depth);
  std::ranges::fill(pivot_, 0.0);
  for (std::size_t r = 0; r < depth; ++r)
    for (std::size_t c = 0; c < depth; ++c) pivot_[r * block + c] = strip(panel_, first + c)[r * tile];
  if (!invert_block(pivot_.data(), depth, log_determinant_)) return false;
  for (std::size_t at = 0; at < panel_.size(); at += block * tile)
    multiply_strip(pivot_.data(), panel_.data() + at, swept_.data() + at, depth);
  update(depth);
  put_panel(first, depth);
  return true;
}

void PositiveInverse::take_panel(std::size_t first, std::size_t depth) {
  for (std::size_t j = 0; j < first; ++j)
    for (std::size_t r = 0; r < depth; ++r) strip(panel_, j)[r * tile] = values_[j * stride_ + first + r];
  for (std::size_t at = first; at < stride_; at += tile)
    for (std::size_t r = 0; r < depth; ++r)
      std::copy_n(values_.data() + (first + r) * stride_ + at, tile, strip(panel_, at) + r * tile);
  // Of the block itself only the upper half is there.
  for (std::size_t r = 0; r < depth; ++r)
    for (std::size_t c = 0; c < r; ++c) strip(panel_, first + c)[r * tile] = values_[(first + c) * stride_ + first + r];
}

void PositiveInverse::update(std::size_t depth) {
  const std::size_t tiles = stride_ / tile;
  for (std::size_t t = 0; t < tiles; ++t) {
    pulse::beat((tiles - t) * tile * tile * depth);
    subtract_products(swept_.data() + t * block * tile, panel_.data() + t * block * tile,
                      values_.data() + t * tile * (stride_ + 1), stride_, depth, tiles - t);
  }
}

void PositiveInverse::put_panel(std::size_t first, std::size_t depth) {
  for (std::size_t j = 0; j < first; ++j)
    for (std::size_t r = 0; r < depth; ++r) values_[j * stride_ + first + r] = strip(swept_, j)[r * tile];
  for (std::size_t r = 0; r < depth; ++r) {
    double* row = values_.data() + (first + r) * stride_;
    for (std::size_t c = r; c < depth; ++c) row[first + c] = -pivot_[r * block + c];
    for (std::size_t j = first + depth; j < size_; ++j) row[j] = strip(swept_, j)[r * tile];
  }
}

void PositiveInverse::write(SquareMatrix& matrix) const {
  for (std::size_t top = 0; top < size_; top += block)
    for (std::size_t left = top; left < size_; left += block)
      for (std::size_t i = top; i < std::min(top + block, size_); ++i)
        for (std::size_t j = std::max(i, left); j < std::min(left + block, size_); ++j)
          matrix(j, i) = matrix(i, j) = -values_[i * stride_ + j];
}

}  // namespace dagathlon
