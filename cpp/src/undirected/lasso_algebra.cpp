#include "dagathlon/undirected/lasso_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

namespace {

// A pivot below this share of its diagonal says that a column is a combination of those before it.
constexpr double collinear = 1e-11;

constexpr std::size_t lanes = 8;
using Lane = double __attribute__((vector_size(lanes * sizeof(double)), aligned(alignof(double)), may_alias));

// Rows of a factor that are taken from those below at once, so that these are read and written less often.
constexpr std::size_t depth = 8;

// From the rows below `depth` finished ones, one after another, as if each were taken by itself.
DAGATHLON_WIDE_CLONES void take_rows(const double* finished, double* below, std::size_t first, std::size_t size) {
  for (std::size_t i = first; i < size; ++i, below += size) {
    double factors[depth];
    for (std::size_t m = 0; m < depth; ++m) factors[m] = finished[m * size + i];
    for (std::size_t j = i; j < size; ++j) {
      double value = below[j];
      for (std::size_t m = 0; m < depth; ++m) value -= factors[m] * finished[m * size + j];
      below[j] = value;
    }
  }
}

}  // namespace

DAGATHLON_WIDE_CLONES void add_multiple(double* to, const double* from, double factor, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) to[k] += factor * from[k];
}

DAGATHLON_WIDE_CLONES double dot(const double* a, const double* b, std::size_t size) {
  Lane sums{};
  std::size_t k = 0;
  for (; k + lanes <= size; k += lanes)
    sums += *reinterpret_cast<const Lane*>(a + k) * *reinterpret_cast<const Lane*>(b + k);
  double sum = 0.0;
  for (; k < size; ++k) sum += a[k] * b[k];
  for (std::size_t lane = 0; lane < lanes; ++lane) sum += sums[lane];
  return sum;
}

std::size_t UpperFactor::factor(std::vector<double> matrix, std::size_t size) {
  stride_ = size;
  rows_ = std::move(matrix);
  std::vector<double> diagonal(size);
  for (std::size_t k = 0; k < size; ++k) diagonal[k] = rows_[k * size + k];
  for (std::size_t first = 0; first < size; first += depth) {
    const std::size_t end = std::min(first + depth, size);
    for (std::size_t k = first; k < end; ++k) {
      double* row = rows_.data() + k * size;
      for (const double* above = rows_.data() + first * size; above < row; above += size)
        add_multiple(row + k, above + k, -above[k], size - k);
      if (!(row[k] > collinear * diagonal[k])) return k;
      const double scale = 1.0 / std::sqrt(row[k]);
      for (std::size_t j = k; j < size; ++j) row[j] *= scale;
    }
    if (end < size) take_rows(rows_.data() + first * size, rows_.data() + end * size, end, size);
  }
  return size;
}

void UpperFactor::solve(std::vector<double>& right) const {
  const std::size_t size = right.size();
  for (std::size_t k = 0; k < size; ++k) {
    const double* row = rows_.data() + k * stride_;
    right[k] /= row[k];
    add_multiple(right.data() + k + 1, row + k + 1, -right[k], size - k - 1);
  }
  for (std::size_t k = size; k-- > 0;) {
    const double* row = rows_.data() + k * stride_;
    right[k] = (right[k] - dot(row + k + 1, right.data() + k + 1, size - k - 1)) / row[k];
  }
}

}  // namespace dagathlon
