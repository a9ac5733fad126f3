#include "dagathlon/published_step.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "dagathlon/log_gamma.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

// Draws of the same pair again before a step is content with fewer.
constexpr std::size_t most_draws = 200;

}  // namespace

PublishedStep::PublishedStep(const PublishedOptions& options, const GaussianGraph& graph)
    : options_(options), prior_factor_(upper_factor(graph.size(), graph.prior().scale)) {
  const GaussianGraphPrior& prior = graph.prior();
  log_prior_odds_ = std::log(prior.edge_probability) - std::log1p(-prior.edge_probability);
  for (std::size_t common = 0; common < graph.size(); ++common) {
    const double half = std::max(std::floor((prior.b + static_cast<double>(common)) / 2), 0.5);
    log_ratios_.push_back(std::log(2 * std::sqrt(std::numbers::pi) / prior.scale) + log_gamma(half + 0.5) -
                          log_gamma(half));
  }
}

double PublishedStep::log_odds(const GaussianGraph& graph, std::size_t i, std::size_t j) const {
  double log_ratio = log_ratios_[graph.common(i, j)];
  if (options_.auxiliary) {
    const SquareMatrix& covariance = auxiliary_.covariance;
    log_ratio = log_pair_integral({auxiliary_.precision(i, j), covariance(i, j), covariance(i, i), covariance(j, j),
                                   0.0, graph.prior().scale});
  }
  return log_prior_odds_ - log_ratio + graph.log_integral(i, j);
}

double PublishedStep::step(GaussianGraph& graph, Stream& random) {
  pulse::beat(graph.size() * graph.size() * 32);
  if (graph.size() < 2) return 1;
  if (options_.auxiliary) sampler_.draw(graph.adjacent(), graph.prior().b, prior_factor_, random, auxiliary_);
  double lasted = 1;
  if (options_.births) lasted = jump(graph, random);
  else propose(graph, random);
  graph.refresh(random);
  return lasted;
}

void PublishedStep::propose(GaussianGraph& graph, Stream& random) {
  const std::size_t n = graph.size(), a = random.below(n), other = random.below(n - 1), c = other + (other >= a);
  const std::size_t i = std::min(a, c), j = std::max(a, c);
  const double odds = log_odds(graph, i, j);
  if (std::log(1 - random.uniform()) < (graph.adjacent().test(i, j) ? -odds : odds)) graph.toggle(i, j);
}

double PublishedStep::jump(GaussianGraph& graph, Stream& random) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  rates_.clear();
  double total = 0;
  for (std::size_t j = 1; j < graph.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const double odds = log_odds(graph, i, j);
      total += std::exp(std::min(graph.adjacent().test(i, j) ? -odds : odds, 0.0));
      pairs.emplace_back(i, j);
      rates_.push_back(total);
    }
  std::vector<std::size_t> chosen;
  for (std::size_t draw = 0; chosen.size() < options_.jumps && draw < most_draws * options_.jumps; ++draw) {
    const auto place = std::ranges::upper_bound(rates_, random.uniform() * total);
    const std::size_t pair = static_cast<std::size_t>(std::min(place, rates_.end() - 1) - rates_.begin());
    if (std::ranges::find(chosen, pair) == chosen.end()) chosen.push_back(pair);
  }
  for (const std::size_t pair : chosen) graph.toggle(pairs[pair].first, pairs[pair].second);
  return 1 / total;
}

}  // namespace dagathlon
