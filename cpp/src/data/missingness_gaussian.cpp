#include <algorithm>
#include <cmath>

#include "dagathlon/graph/nodes.hpp"

#include "dagathlon/data/missingness.hpp"
#include "dagathlon/linalg/cholesky.hpp"

namespace dagathlon {

namespace {

// A cell of the histogram of causes has about this many rows; there are no more cells than this along
// one cause.
constexpr double rows_per_cell = 100;
constexpr double most_cells = 30;

std::size_t place_of(const NodeVector& nodes, std::size_t node) {
  return static_cast<std::size_t>(std::ranges::find(nodes, node) - nodes.begin());
}

// Coefficients of the regression of one variable on the first k, from their scatter: solves S b = s by
// Cholesky, passing over causes that are functions of others.
std::vector<double> coefficients(const SymmetricMatrix& scatter, std::size_t k, std::size_t target) {
  std::vector<double> factor(k * k);
  cholesky::factorise(factor, k, scatter, cholesky::SkipBelow{collinear_share});
  std::vector<double> result(k);
  for (std::size_t i = 0; i < k; ++i) result[i] = scatter(i, target);
  cholesky::solve_lower(factor, result);
  cholesky::solve_upper(factor, result);
  return result;
}

double bilinear(const SymmetricMatrix& m, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) sum += a[i] * m(i, j) * b[j];
  return sum;
}

SymmetricMatrix scaled(const SymmetricMatrix& covariance) {
  SymmetricMatrix r(covariance.size());
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double scale = std::sqrt(covariance(i, i) * covariance(j, j));
      const double value = scale > 0 ? covariance(i, j) / scale : 0.0;
      r.set(i, j, i == j ? (scale > 0 ? 1.0 : 0.0) : std::clamp(value, -1.0, 1.0));
    }
  return r;
}

}  // namespace

CorrectedGaussianTest::CorrectedGaussianTest(IndependenceTest& plain, std::span<const ValueColumn> columns,
                                             Missingness gaps, Correction correction, GaussianOptions options)
    : CorrectedTest(plain, std::move(gaps), correction), options_(options) {
  for (const ValueColumn& source : columns)
    for (std::size_t row = 0; row < gaps_.rows; ++row) values_.push_back(source[row]);
}

TestResult CorrectedGaussianTest::corrected(const NodeVector& family) {
  NodeVector places(family.size() - 2);
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = k + 2;
  if (correction_ == Correction::permutation) {
    NodeVector all = family;
    for (const std::size_t cause : gaps_.causes_of(family)) all.push_back(cause);
    const std::size_t n = gaps_.complete_rows(all).size();
    const SymmetricMatrix r = scaled(covariance(family));
    return gaussian_result(PartialCorrelations(r)(0, 1, places), n, places.size(), options_);
  }
  const WeightedRows sample = by_density_ratio(family);
  SymmetricMatrix scatter(family.size());
  double total = 0;
  for (const double w : sample.weights) total += w;
  std::vector<double> means(family.size());
  for (std::size_t i = 0; i < family.size(); ++i)
    for (std::size_t k = 0; k < sample.rows.size(); ++k)
      means[i] += sample.weights[k] * column(family[i])[sample.rows[k]] / total;
  for (std::size_t i = 0; i < family.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < sample.rows.size(); ++k)
        sum += sample.weights[k] * (column(family[i])[sample.rows[k]] - means[i]) *
               (column(family[j])[sample.rows[k]] - means[j]);
      scatter.set(i, j, sum);
    }
  const auto n = static_cast<std::size_t>(sample.effective());
  const SymmetricMatrix r = scaled(scatter);
  return gaussian_result(PartialCorrelations(r)(0, 1, places), n, places.size(), options_);
}

SymmetricMatrix CorrectedGaussianTest::covariance(const NodeVector& variables, std::size_t depth) const {
  const NodeVector causes = gaps_.causes_of(variables);
  if (causes.empty() || depth == longest_chain_of_causes) return of_complete_rows(variables);
  return given_causes(variables, causes, depth);
}

SymmetricMatrix CorrectedGaussianTest::of_complete_rows(const NodeVector& variables) const {
  std::vector<ValueColumn> columns;
  for (const std::size_t v : variables) columns.push_back(column(v));
  const NodeVector rows = gaps_.complete_rows(variables);
  const Moments m = moments(columns, rows);
  SymmetricMatrix result(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) result.set(i, j, m.scatter(i, j) / static_cast<double>(m.rows));
  return result;
}

// Law of total covariance: the regression on the causes and its residuals from complete rows, the
// covariance of the causes by the causes of their own gaps.
SymmetricMatrix CorrectedGaussianTest::given_causes(const NodeVector& variables, const NodeVector& causes,
                                                    std::size_t depth) const {
  const std::size_t k = causes.size();
  NodeVector all = causes;
  for (const std::size_t v : variables)
    if (std::ranges::find(causes, v) == causes.end()) all.push_back(v);
  const SymmetricMatrix observed = of_complete_rows(all);
  const SymmetricMatrix of_causes = covariance(causes, depth + 1);
  std::vector<std::vector<double>> slopes(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= k) slopes[i] = coefficients(observed, k, i);
    else slopes[i].assign(k, 0.0);
    if (i < k) slopes[i][i] = 1.0;
  }
  SymmetricMatrix result(variables.size());
  for (std::size_t a = 0; a < variables.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const std::size_t i = place_of(all, variables[a]);
      const std::size_t j = place_of(all, variables[b]);
      double value = bilinear(of_causes, slopes[i], slopes[j]);
      if (i >= k && j >= k) value += observed(i, j) - bilinear(observed, slopes[i], slopes[j]);
      result.set(a, b, value);
    }
  return result;
}

std::vector<std::size_t> CorrectedGaussianTest::cells(const NodeVector& variables, const NodeVector& rows) const {
  const double share = static_cast<double>(rows.size()) / rows_per_cell;
  const double wanted = std::pow(std::max(share, 1.0), 1.0 / static_cast<double>(variables.size()));
  const auto parts = static_cast<std::size_t>(std::clamp(wanted, 2.0, most_cells));
  std::vector<std::size_t> result(rows.size(), 0);
  for (const std::size_t v : variables) {
    NodeVector order(rows.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return column(v)[rows[k]]; });
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      result[order[rank]] = result[order[rank]] * parts + rank * parts / order.size();
  }
  return result;
}

}  // namespace dagathlon
