// Sums over and draws from free sets; see free_sets.hpp.
#pragma once

#include <cmath>

#include "dagathlon/mcmc/free_sets.hpp"
#include "dagathlon/stats/log_weights.hpp"

namespace dagathlon {

template <class Allowed>
double FreeSets::log_sum(double rest, Allowed&& allowed) const {
  // Weights so far below the first one are no doubles any more.
  constexpr double range = 600.0, digits = 1e-10;
  if (empty()) return rest;
  const double first = power_ * scores_.front();
  if (!(first - rest < range)) {
    LogSum sum;
    sum.add(rest);
    for (std::size_t k = 0; k < scores_.size(); ++k)
      if (allowed(members_[k])) sum.add(power_ * scores_[k]);
    return sum.value();
  }
  const double base = std::exp(rest - first);
  double sum = 0;
  for (std::size_t k = 0; k < weights_.size() && left_[k] > digits * (base + sum); ++k)
    if (allowed(members_[k])) sum += weights_[k];
  return sum > 0 ? log_add(rest, first + std::log(sum)) : rest;
}

template <class Allowed>
std::size_t FreeSets::draw(double mass, double uniform, Allowed&& allowed) const {
  LogDraw draw(mass, uniform, std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < scores_.size(); ++k)
    if (allowed(members_[k])) draw.offer(k, power_ * scores_[k]);
  return draw.chosen();
}

template <class Allowed>
std::size_t FreeSets::best(Allowed&& allowed) const {
  for (std::size_t k = 0; k < scores_.size(); ++k)
    if (allowed(members_[k])) return k;
  return none;
}

}  // namespace dagathlon
