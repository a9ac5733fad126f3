#include "dagathlon/test/slice_posterior.hpp"

#include <cmath>
#include <utility>

#include "dagathlon/stats/log_gamma.hpp"

namespace dagathlon {

namespace {

// Logarithm of the probability of counts under a Dirichlet prior, without what all counts of the same rows share.
double log_evidence(std::span<const Tally> counts, double parameter) {
  const double none = log_gamma(parameter);
  double sum = 0;
  for (const Tally count : counts)
    if (count > 0) sum += log_gamma(count + parameter) - none;
  return sum;
}

// By how much dependence is more probable than independence in a slice, before the prior; `total` is the
// sum of its Dirichlet parameters.
double log_evidence_ratio(const Slice& slice, double total) {
  const auto x_levels = static_cast<double>(slice.x_levels);
  const auto y_levels = static_cast<double>(slice.y_levels);
  const double joint = log_evidence({slice.cells, slice.x_levels * slice.y_levels}, total / (x_levels * y_levels));
  const double margins = log_evidence({slice.x_margin, slice.x_levels}, total / x_levels) +
                         log_evidence({slice.y_margin, slice.y_levels}, total / y_levels);
  return joint - margins - (log_gamma(total) - log_gamma(slice.total + total));
}

// log(1 + exp(x)).
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

}  // namespace

SlicePosteriorTest::SlicePosteriorTest(DiscreteData data, double prior, double iss)
    : data_(std::move(data)), log_prior_(std::log(prior)), iss_(iss), counter_(data_) {}

TestResult SlicePosteriorTest::run(std::size_t x, std::size_t y, Nodes given) {
  pulse::beat(data_.rows());
  double total = iss_;
  for (const std::size_t z : given) total /= static_cast<double>(data_.arity(z));
  std::vector<double> ratios;
  counter_.slices(x, y, given, [&](const Slice& slice) { ratios.push_back(log_evidence_ratio(slice, total)); });
  if (ratios.empty()) return {0.0, 0.0, 1.0, false};
  // The prior probability of independence in all slices is the product of those in each.
  const double log_prior_odds = std::log(std::expm1(-log_prior_ / static_cast<double>(ratios.size())));
  double log_probability = 0;
  for (const double ratio : ratios) log_probability -= softplus(log_prior_odds + ratio);
  return {log_probability - std::log(-std::expm1(log_probability)), 0.0, std::exp(log_probability)};
}

}  // namespace dagathlon
