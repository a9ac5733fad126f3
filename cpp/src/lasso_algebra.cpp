#include "dagathlon/lasso_algebra.hpp"

#include <cmath>
#include <utility>

#include "dagathlon/dispatch.hpp"

namespace dagathlon {

namespace {

// A pivot below this share of its diagonal says that a column is a combination of those before it.
constexpr double collinear = 1e-11;

constexpr std::size_t lanes = 8;
using Lane = double __attribute__((vector_size(lanes * sizeof(double)), aligned(alignof(double)), may_alias));

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
  for (std::size_t k = 0; k < size; ++k) {
    double* row = rows_.data() + k * size;
    if (!(row[k] > collinear * diagonal[k])) return k;
    const double scale = 1.0 / std::sqrt(row[k]);
    for (std::size_t j = k; j < size; ++j) row[j] *= scale;
    for (std::size_t i = k + 1; i < size; ++i)
      if (row[i] != 0.0) add_multiple(rows_.data() + i * size + i, row + i, -row[i], size - i);
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
