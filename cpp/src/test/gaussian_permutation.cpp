#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/test/permutation_test.hpp"

namespace dagathlon {

namespace {

using Vector = std::vector<double>;

double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Deviations of chosen rows from their mean; all zero for a constant column.
Vector centred(const ValueColumn& column, Nodes rows) {
  const Moments m = moments(std::span(&column, 1), rows);
  Vector result(rows.size(), 0.0);
  if (correlation(m)(0, 0) == 0) return result;
  for (std::size_t i = 0; i < rows.size(); ++i) result[i] = column[rows[i]] - m.means[0];
  return result;
}

// Directions of length 1, at right angles to each other.
class Basis {
 public:
  // What is left of a vector beyond the directions, scaled to length 1; empty when nothing is left.
  Vector rest(Vector values) const {
    const double before = inner(values, values);
    for (const Vector& direction : directions_) {
      const double along = inner(values, direction);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] -= along * direction[i];
    }
    const double after = inner(values, values);
    if (!(after > collinear_share * before)) return {};
    for (double& v : values) v /= std::sqrt(after);
    return values;
  }
  void add(Vector values) {
    Vector direction = rest(std::move(values));
    if (!direction.empty()) directions_.push_back(std::move(direction));
  }

 private:
  std::vector<Vector> directions_;
};

}  // namespace

GaussianPermutationTest::GaussianPermutationTest(std::span<const ValueColumn> columns, std::size_t rows,
                                                 GaussianOptions gaussian, PermutationOptions options)
    : PermutationTest(options), columns_(columns.size()), rows_(rows), gaussian_(gaussian) {
  for (const ValueColumn& column : columns)
    for (std::size_t i = 0; i < rows; ++i) values_.push_back(column[i]);
}

std::vector<std::size_t> GaussianPermutationTest::complete_rows(std::size_t x, std::size_t y, Nodes given) const {
  std::vector<std::size_t> rows;
  const auto gap = [&](std::size_t node, std::size_t row) { return std::isnan(column(node)[row]); };
  for (std::size_t i = 0; i < rows_; ++i) {
    if (gap(x, i) || gap(y, i)) continue;
    if (std::ranges::none_of(given, [&](std::size_t z) { return gap(z, i); })) rows.push_back(i);
  }
  return rows;
}

PermutationTest::Observed GaussianPermutationTest::observe(std::size_t x, std::size_t y, Nodes given) {
  const std::vector<std::size_t> rows = complete_rows(x, y, given);
  if (rows.size() < given.size() + 3) return {0, 0, false};
  Basis basis;
  for (const std::size_t z : given) basis.add(centred(column(z), rows));
  x_rest_ = basis.rest(centred(column(x), rows));
  y_rest_ = basis.rest(centred(column(y), rows));
  if (x_rest_.empty() || y_rest_.empty()) return {0, 0, false};
  const double r = std::clamp(inner(x_rest_, y_rest_), -1.0, 1.0);
  const TestResult result = gaussian_result({r, true}, rows.size(), given.size(), gaussian_);
  return {result.statistic, std::fabs(r), result.defined};
}

double GaussianPermutationTest::permuted(Stream& random) {
  random.shuffle(std::span(x_rest_));
  return std::fabs(inner(x_rest_, y_rest_));
}

}  // namespace dagathlon
