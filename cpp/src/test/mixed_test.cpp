#include "dagathlon/test/mixed_test.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "dagathlon/graph/nodes.hpp"
#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

// A normal distribution: its mean, and the Cholesky factor of its covariance by rows.
struct Normal {
  std::vector<double> mean;
  std::vector<double> factor;
  double log_determinant = 0;
};

// The normal distribution that fits some rows best; nothing when they are too few or collinear.
std::optional<Normal> fitted(std::span<const ValueColumn> columns, Nodes rows) {
  const std::size_t c = columns.size();
  if (rows.size() < c + 2) return std::nullopt;
  const Moments m = moments(columns, rows);
  Normal normal{m.means, std::vector<double>(c * c), 0};
  for (std::size_t i = 0; i < c; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = m.scatter(i, j) / static_cast<double>(rows.size());
      const double full = rest;
      for (std::size_t l = 0; l < j; ++l) rest -= normal.factor[i * c + l] * normal.factor[j * c + l];
      if (i != j) normal.factor[i * c + j] = rest / normal.factor[j * c + j];
      else if (rest > collinear_share * full) normal.factor[i * c + i] = std::sqrt(rest);
      else return std::nullopt;
    }
  for (std::size_t i = 0; i < c; ++i) normal.log_determinant += 2.0 * std::log(normal.factor[i * c + i]);
  return normal;
}

// Twice the negative log density without the constant, summed over rows.
double deviance(const Normal& normal, std::span<const ValueColumn> columns, Nodes rows) {
  const std::size_t c = columns.size();
  double sum = normal.log_determinant * static_cast<double>(rows.size());
  std::vector<double> solved(c);
  for (const std::size_t row : rows)
    for (std::size_t i = 0; i < c; ++i) {
      double rest = columns[i][row] - normal.mean[i];
      for (std::size_t l = 0; l < i; ++l) rest -= normal.factor[i * c + l] * solved[l];
      solved[i] = rest / normal.factor[i * c + i];
      sum += solved[i] * solved[i];
    }
  return sum;
}

}  // namespace

MixedTest::MixedTest(DiscreteData data, std::span<const ValueColumn> columns, std::size_t rows,
                     std::vector<MixedVariable> variables)
    : data_(std::move(data)), rows_(rows), variables_(std::move(variables)) {
  for (const ValueColumn& column : columns)
    for (std::size_t i = 0; i < rows; ++i) values_.push_back(column[i]);
}

MixedTest::Parts MixedTest::parts(Nodes variables) const {
  Parts result;
  for (const std::size_t v : variables)
    (variables_[v].discrete ? result.discrete : result.continuous).push_back(variables_[v].column);
  return result;
}

NodeVector MixedTest::complete_rows(const Parts& all) const {
  NodeVector rows;
  for (std::size_t i = 0; i < rows_; ++i) {
    const bool gap =
        std::ranges::any_of(all.discrete, [&](std::size_t j) { return data_.code(j, i) >= data_.arity(j); }) ||
        std::ranges::any_of(all.continuous, [&](std::size_t j) { return std::isnan(values_[j * rows_ + i]); });
    if (!gap) rows.push_back(i);
  }
  return rows;
}

// Without the constant of the normal density, which cancels. `around`: the discrete part of S, whose
// configurations lend their covariance to small ones inside.
double MixedTest::log_likelihood(Nodes variables, Nodes rows, Nodes around) const {
  const Parts part = parts(variables);
  std::vector<ValueColumn> columns;
  for (const std::size_t j : part.continuous) columns.push_back({values_.data() + j * rows_, 1});
  const RowGroups inner = group_rows(data_, part.discrete);
  const RowGroups outer = group_rows(data_, around);
  std::map<Tally, NodeVector> by_inner;
  std::map<Tally, NodeVector> by_outer;
  for (const std::size_t row : rows) {
    by_inner[inner.of_row[row]].push_back(row);
    by_outer[outer.of_row[row]].push_back(row);
  }
  const auto n = static_cast<double>(rows.size());
  double sum = 0;
  for (const auto& [group, members] : by_inner) {
    const auto m = static_cast<double>(members.size());
    sum += m * std::log(m / n);
    if (columns.empty()) continue;
    auto normal = fitted(columns, members);
    if (!normal) normal = fitted(columns, by_outer[outer.of_row[members[0]]]);
    if (!normal) normal = fitted(columns, rows);
    if (!normal) return NAN;
    sum -= 0.5 * deviance(*normal, columns, members);
  }
  return sum;
}

double MixedTest::parameters(Nodes variables) const {
  const Parts part = parts(variables);
  double configurations = 1;
  for (const std::size_t j : part.discrete) configurations *= static_cast<double>(data_.arity(j));
  const auto c = static_cast<double>(part.continuous.size());
  return configurations * (1.0 + c + c * (c + 1.0) / 2.0);
}

TestResult MixedTest::run(std::size_t x, std::size_t y, Nodes given) {
  NodeVector s(given.begin(), given.end());
  NodeVector xs = s;
  xs.push_back(x);
  NodeVector ys = s;
  ys.push_back(y);
  NodeVector all = xs;
  all.push_back(y);
  const double df = parameters(all) + parameters(s) - parameters(xs) - parameters(ys);
  const NodeVector rows = complete_rows(parts(all));
  if (rows.empty() || !(df > 0)) return {0.0, df, 1.0, false};
  const NodeVector around = parts(s).discrete;
  const double statistic = 2.0 * (log_likelihood(all, rows, around) + log_likelihood(s, rows, around) -
                                  log_likelihood(xs, rows, around) - log_likelihood(ys, rows, around));
  if (std::isnan(statistic)) return {0.0, df, 1.0, false};
  return {std::max(statistic, 0.0), df, chi_square_tail(std::max(statistic, 0.0), df)};
}

}  // namespace dagathlon
