#include "dagathlon/test/pooled_test.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {
constexpr double kNearlyNormal = 1e9;
}  // namespace

TestResult PooledFisherTest::run(std::size_t x, std::size_t y, Nodes given) {
  const auto m = static_cast<double>(each_.size());
  double mean = 0;
  double squares = 0;
  double rows = 0;
  for (const auto& test : each_) {
    const TestResult result = test->evaluate(x, y, given);
    if (!result.defined) return {0.0, result.df, 1.0, false};
    rows = result.df;
    const double z = result.statistic / std::sqrt(rows);
    mean += z / m;
    squares += z * z;
  }
  if (each_.size() == 1) return {mean * std::sqrt(rows), rows, normal_two_sided(mean * std::sqrt(rows))};
  const double between = (1.0 + 1.0 / m) * std::max(squares - m * mean * mean, 0.0) / (m - 1.0);
  const double within = 1.0 / rows;
  const double t = mean / std::sqrt(within + between);
  // Equal estimates, as where nothing was missing, differ by rounding alone: the more, the larger they are. With so
  // many degrees of freedom the distribution is normal, and none that is computed for a finite number is exact.
  const double df = between > 0 ? (m - 1.0) * std::pow(1.0 + within / between, 2) : HUGE_VAL;
  if (df > kNearlyNormal) return {t, HUGE_VAL, normal_two_sided(t)};
  return {t, df, correlation_two_sided(t / std::sqrt(t * t + df), df)};
}

TestResult PooledLikelihoodTest::run(std::size_t x, std::size_t y, Nodes given) {
  const auto m = static_cast<double>(each_.size());
  double mean = 0;
  for (const auto& test : each_) {
    const TestResult result = test->evaluate(x, y, given);
    if (!result.defined) return {0.0, result.df, 1.0, false};
    mean += result.statistic / m;
  }
  const TestResult together = stacked_->evaluate(x, y, given);
  if (!together.defined) return {0.0, together.df, 1.0, false};
  const double k = together.df;
  const double common = together.statistic / m;
  const double increase = each_.size() > 1 ? std::max(mean - common, 0.0) * (m + 1.0) / (k * (m - 1.0)) : 0.0;
  const double statistic = common / (k * (1.0 + increase));
  if (increase <= 1e-12) return {statistic, k, chi_square_tail(statistic * k, k)};
  const double t = k * (m - 1.0);
  const double df = t > 4 ? 4.0 + (t - 4.0) * std::pow(1.0 + (1.0 - 2.0 / t) / increase, 2)
                          : t * (1.0 + 1.0 / k) * std::pow(1.0 + 1.0 / increase, 2) / 2.0;
  return {statistic, k, f_tail(statistic, k, df)};
}

}  // namespace dagathlon
