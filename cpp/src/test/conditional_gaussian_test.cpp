#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/test/conditional_gaussian_test.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "dagathlon/graph/nodes.hpp"
#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

NodeVector with(NodeVector nodes, std::size_t node) {
  nodes.push_back(node);
  return nodes;
}

// The residual sum of squares of the last column; 0 when it is constant, or the others leave nothing
// of it.
double residual_sum(std::span<const ValueColumn> columns, Nodes rows) {
  const std::size_t c = columns.size();
  const Moments m = moments(columns, rows);
  const SymmetricMatrix r = correlation(m);
  std::vector<double> factor(c * c);
  // A regressor that is a function of those before it adds nothing.
  cholesky::factorise(factor, c, r, cholesky::SkipBelow{collinear_share});
  return m.scatter(c - 1, c - 1) * factor.back() * factor.back();
}

TestResult answer(double statistic, double df) {
  if (!std::isfinite(statistic) || !(df > 0)) return {0.0, df, 1.0, false};
  return {statistic, df, chi_square_tail(std::max(statistic, 0.0), df)};
}

std::map<Tally, NodeVector> grouped(const DiscreteData& data, Nodes discrete, Nodes rows) {
  const RowGroups groups = group_rows(data, discrete);
  std::map<Tally, NodeVector> members;
  for (const std::size_t row : rows) members[groups.of_row[row]].push_back(row);
  return members;
}

}  // namespace

// Of the counts of all configurations, m log m.
double ConditionalGaussianTest::sum_of_counts(Nodes discrete, Nodes rows) const {
  double sum = 0;
  for (const auto& [group, members] : grouped(data_, discrete, rows)) {
    const auto m = static_cast<double>(members.size());
    sum += m * std::log(m);
  }
  return sum;
}

// Without the constant of the normal density, which cancels; NaN when a configuration has no degree
// of freedom.
double ConditionalGaussianTest::likelihood(std::size_t response, Nodes regressors, Nodes discrete, Nodes rows) const {
  std::vector<ValueColumn> columns;
  for (const std::size_t j : with({regressors.begin(), regressors.end()}, response))
    columns.push_back({values_.data() + j * rows_, 1});
  double sum = 0;
  for (const auto& [group, members] : grouped(data_, discrete, rows)) {
    if (members.size() <= columns.size()) return NAN;
    const auto m = static_cast<double>(members.size());
    const double left = m - static_cast<double>(columns.size());
    const double residual = residual_sum(columns, members);
    if (!(residual > 0)) return NAN;
    sum -= 0.5 * (m * std::log(residual / left) + left);
  }
  return sum;
}

double ConditionalGaussianTest::joint_likelihood(Nodes continuous, Nodes discrete, Nodes rows) const {
  double sum = 0;
  for (std::size_t i = 0; i < continuous.size(); ++i)
    sum += likelihood(continuous[i], continuous.first(i), discrete, rows);
  return sum;
}

TestResult ConditionalGaussianTest::of_continuous(std::size_t x, std::size_t y, const Query& query) const {
  const auto& [given, rows, configurations] = query;
  // Nothing can depend on a constant, or on a function of the given variables.
  if (rows.size() < 2 || std::isnan(likelihood(y, given.continuous, {}, rows))) return answer(NAN, configurations);
  if (given.discrete.empty() && given.continuous.empty()) {
    const ValueColumn columns[] = {{values_.data() + y * rows_, 1}, {values_.data() + x * rows_, 1}};
    const double left = residual_sum(columns, rows);
    const double all = residual_sum(std::span(columns).last(1), rows);
    return answer(left > 0 ? static_cast<double>(rows.size()) * std::log(all / left) : NAN, 1.0);
  }
  const double more = likelihood(x, with(given.continuous, y), given.discrete, rows);
  return answer(2.0 * (more - likelihood(x, given.continuous, given.discrete, rows)), configurations);
}

TestResult ConditionalGaussianTest::of_mixed(std::size_t discrete, std::size_t continuous, const Query& query) const {
  const auto& [given, rows, configurations] = query;
  const double more = likelihood(continuous, given.continuous, with(given.discrete, discrete), rows);
  const double less = likelihood(continuous, given.continuous, given.discrete, rows);
  const double levels = static_cast<double>(data_.arity(discrete)) - 1.0;
  return answer(2.0 * (more - less), levels * configurations * (static_cast<double>(given.continuous.size()) + 2.0));
}

TestResult ConditionalGaussianTest::of_discrete(std::size_t x, std::size_t y, const Query& query) const {
  const auto& [given, rows, configurations] = query;
  const NodeVector with_y = with(given.discrete, y);
  double statistic = sum_of_counts(with(with_y, x), rows) + sum_of_counts(given.discrete, rows) -
                     sum_of_counts(with(given.discrete, x), rows) - sum_of_counts(with_y, rows);
  const double levels = static_cast<double>(data_.arity(y)) - 1.0;
  double df = (static_cast<double>(data_.arity(x)) - 1.0) * levels * configurations;
  statistic +=
      joint_likelihood(given.continuous, with_y, rows) - joint_likelihood(given.continuous, given.discrete, rows);
  const auto c = static_cast<double>(given.continuous.size());
  if (!given.discrete.empty()) df += levels * configurations * (c + c * (c + 1.0) / 2.0);
  return answer(2.0 * statistic, df);
}

TestResult ConditionalGaussianTest::run(std::size_t x, std::size_t y, Nodes given) {
  NodeVector all(given.begin(), given.end());
  Query query{parts(given), {}, 1.0};
  query.rows = complete_rows(parts(with(with(all, x), y)));
  for (const std::size_t j : query.given.discrete) query.configurations *= static_cast<double>(data_.arity(j));
  const auto [x_discrete, x_column] = variables_[x];
  const auto [y_discrete, y_column] = variables_[y];
  if (x_discrete && y_discrete) return of_discrete(x_column, y_column, query);
  if (x_discrete) return of_mixed(x_column, y_column, query);
  if (y_discrete) return of_mixed(y_column, x_column, query);
  return of_continuous(x_column, y_column, query);
}

}  // namespace dagathlon
