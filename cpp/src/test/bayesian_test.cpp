#include "dagathlon/test/bayesian_test.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

// A number of its own for each constraint and each time that it is asked about (FNV-1a).
std::uint64_t number_of(const Constraint& constraint, std::size_t time) {
  std::uint64_t number = 0xCBF29CE484222325U;
  const auto take = [&](std::size_t node) { number = (number ^ (node + 1)) * 0x100000001B3U; };
  take(constraint.x);
  take(constraint.y);
  for (const std::size_t node : constraint.given) take(node);
  if (time > 1) take(time);
  return number;
}

}  // namespace

Constraint Constraint::of(std::size_t x, std::size_t y, Nodes given) {
  Constraint result{std::min(x, y), std::max(x, y), {given.begin(), given.end()}};
  std::ranges::sort(result.given);
  return result;
}

BayesianTest::BayesianTest(std::shared_ptr<Score> score, double prior)
    : score_(std::move(score)), prior_log_odds_(std::log(prior) - std::log1p(-prior)) {}

TestResult BayesianTest::run(std::size_t x, std::size_t y, Nodes given) {
  const Constraint constraint = Constraint::of(x, y, given);
  std::vector<std::size_t> with = constraint.given;
  with.insert(std::ranges::upper_bound(with, constraint.x), constraint.x);
  const double log_odds =
      prior_log_odds_ + score_.local(constraint.y, constraint.given) - score_.local(constraint.y, with);
  if (std::isnan(log_odds)) return {0.0, 0.0, 1.0, false};
  return {log_odds, 0.0, 1.0 / (1.0 + std::exp(-log_odds))};
}

void SampledTest::restart(std::uint64_t seed) {
  seed_ = seed;
  answers_.clear();
}

TestResult SampledTest::run(std::size_t x, std::size_t y, Nodes given) {
  const auto [place, is_new] = known_.try_emplace(Constraint::of(x, y, given));
  const Constraint& constraint = place->first;
  if (is_new) place->second = posterior_->evaluate(constraint.x, constraint.y, constraint.given);
  return place->second;
}

bool SampledTest::accepts(std::size_t x, std::size_t y, Nodes given, double) {
  const auto place = answers_.try_emplace(Constraint::of(x, y, given)).first;
  Answer& answer = place->second;
  if (answer.times == 0 || redraws_) {
    const double probability = run(x, y, given).p_value;
    answer.independent = Stream(seed_, number_of(place->first, ++answer.times)).uniform() < probability;
  }
  return answer.independent;
}

}  // namespace dagathlon
