#include "dagathlon/test/kernel_test.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dagathlon/run/pulse.hpp"
#include "dagathlon/data/standardised.hpp"
#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

TestResult gamma_result(const KernelStatistic& found) {
  if (!(found.mean > 0 && found.variance > 0)) return {0, 0, 1, false};
  const double df = 2 * found.mean * found.mean / found.variance;
  const double scaled = std::max(0.0, found.value) * 2 * found.mean / found.variance;
  return {found.value, df, chi_square_tail(scaled, df), true};
}

namespace {

constexpr double ridge = 1e-3;

// The widths of the authors' program, smaller for more rows.
double chosen_width(std::size_t rows, double few, double some, double many) {
  return rows < 200 ? few : rows < 1200 ? some : many;
}

// Turns squared distances into a Gaussian kernel whose rows and columns have the mean zero.
void to_centred_kernel(SquareMatrix& k, double precision) {
  const std::size_t n = k.size();
  std::vector<double> means(n);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    pulse::beat(n);
    for (std::size_t j = 0; j < n; ++j) means[i] += k(i, j) = std::exp(-0.5 * precision * k(i, j));
    means[i] /= static_cast<double>(n);
    mean += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) k(i, j) += mean - means[i] - means[j];
}

double dot(const SquareMatrix& a, const SquareMatrix& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j) sum += a(i, j) * b(i, j);
  return sum;
}

// r·k·r for symmetric matrices.
SquareMatrix between(const SquareMatrix& r, const SquareMatrix& k) {
  SquareMatrix half(k.size());
  SquareMatrix whole(k.size());
  multiply(r, k, half);
  multiply(half, r, whole);
  return whole;
}

// What is left of the identity after kernel ridge regression: ridge·(k + ridge·I)⁻¹.
std::optional<SquareMatrix> residual_maker(SquareMatrix k) {
  for (std::size_t i = 0; i < k.size(); ++i) k(i, i) += ridge;
  std::optional<Inverse> found = inverse(k);
  if (!found) return std::nullopt;
  for (double& cell : found->matrix.cells()) cell *= ridge;
  return std::move(found->matrix);
}

}  // namespace

KernelTest::KernelTest(std::span<const ValueColumn> columns, std::size_t rows) : rows_(rows) {
  StandardisedColumns scaled = standardised(columns, rows);
  values_ = std::move(scaled.values);
  constant_ = std::move(scaled.constant);
}

void KernelTest::add_distances(SquareMatrix& distances, std::size_t column, double weight) const {
  const double* v = values_.data() + column * rows_;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < rows_; ++j) distances(i, j) += weight * (v[i] - v[j]) * (v[i] - v[j]);
}

KernelStatistic KernelTest::statistic(std::size_t x, std::size_t y, Nodes given) const {
  if (constant_[x] || constant_[y]) return {};
  // The test treats the two differently: the first of the data is always x.
  if (y < x) std::swap(x, y);
  return given.empty() ? unconditional(x, y) : conditional(x, y, given);
}

SquareMatrix KernelTest::marginal(std::size_t column) const {
  SquareMatrix k(rows_);
  add_distances(k, column, 1);
  const double width = chosen_width(rows_, 0.8, 0.5, 0.3);
  to_centred_kernel(k, 1 / (width * width));
  return k;
}

KernelStatistic KernelTest::unconditional(std::size_t x, std::size_t y) const {
  const SquareMatrix kx = marginal(x);
  const SquareMatrix ky = marginal(y);
  const auto n = static_cast<double>(rows_);
  return {dot(kx, ky), trace(kx) * trace(ky) / n, 2 * dot(kx, kx) * dot(ky, ky) / (n * n)};
}

KernelStatistic KernelTest::conditional(std::size_t x, std::size_t y, Nodes given) const {
  const double width = chosen_width(rows_, 1.2, 0.7, 0.4);
  const double precision = 1 / (width * width * static_cast<double>(given.size()));
  SquareMatrix kx(rows_);
  SquareMatrix ky(rows_);
  SquareMatrix kz(rows_);
  add_distances(kx, x, 1);
  add_distances(ky, y, 1);
  for (const std::size_t z : given) add_distances(kz, z, 1);
  // The paper joins z to x; half its scale is the authors' choice.
  for (const std::size_t z : given) add_distances(kx, z, 0.25);
  for (SquareMatrix* k : {&kx, &ky, &kz}) to_centred_kernel(*k, precision);
  const std::optional<SquareMatrix> rest = residual_maker(std::move(kz));
  if (!rest) return {};
  kx = between(*rest, kx);
  ky = between(*rest, ky);
  const double value = dot(kx, ky);
  // The products of all features of x and y have the element-wise product as their Gram matrix.
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t j = 0; j < rows_; ++j) kx(i, j) *= ky(i, j);
  return {value, trace(kx), 2 * dot(kx, kx)};
}

}  // namespace dagathlon
