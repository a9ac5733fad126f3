#include "dagathlon/exact/dag_posterior.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "dagathlon/stats/power_of_two.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t sets_per_beat = 64;
// Where the best DAGs on all sets are within so many powers of 2, sums of weights are ordinary numbers: what
// is lost below them is 2^-100 of the smallest sum even if all other factors of its term are as large as can be.
constexpr std::int32_t ordinary_powers = -700;

}  // namespace

DagPosterior::DagPosterior(std::size_t nodes, std::vector<double> log_weights, Modularity modularity)
    : n_(nodes),
      half_((std::size_t{1} << nodes) / 2),
      modularity_(modularity),
      log_weights_(std::move(log_weights)),
      largest_(nodes, -std::numeric_limits<double>::infinity()) {
  scale_weights();
  sum_subsets();
  best_powers();
  ordinary_ = modularity_ == Modularity::structure && *std::ranges::min_element(best_) > ordinary_powers;
  forward();
  backward();
  if (ordinary_) rescale();
}

void DagPosterior::scale_weights() {
  sums_.resize(n_ * half_);
  powers_.resize(n_ * half_);
  for (std::size_t j = 0; j < n_; ++j) {
    const auto first = log_weights_.begin() + static_cast<std::ptrdiff_t>(j * half_);
    largest_[j] = *std::max_element(first, first + static_cast<std::ptrdiff_t>(half_));
    for (std::size_t k = j * half_; k < (j + 1) * half_; ++k) {
      if (k % sets_per_beat == 0) pulse::beat();
      const double power = std::floor((log_weights_[k] - largest_[j]) / std::numbers::ln2);
      const bool positive = power > lowest_power;
      powers_[k] = positive ? static_cast<std::int32_t>(power) : lowest_power;
      sums_[k] = positive ? std::exp(log_weights_[k] - largest_[j] - power * std::numbers::ln2) : 0.0;
    }
  }
}

void DagPosterior::sum_subsets() {
  for (std::size_t j = 0; j < n_; ++j) {
    double* value = sums_.data() + j * half_;
    std::int32_t* power = powers_.data() + j * half_;
    for (std::size_t bit = 1; bit < half_; bit <<= 1) {
      pulse::beat(half_);
      for (std::size_t k = 0; k < half_; ++k)
        if (k & bit) add_scaled(value[k], power[k], value[k ^ bit], power[k ^ bit]);
    }
  }
}

void DagPosterior::best_powers() {
  best_.assign(std::size_t{1} << n_, 0);
  for (Mask set = 1; set < best_.size(); ++set) {
    if (set % sets_per_beat == 0) pulse::beat();
    std::int32_t best = std::numeric_limits<std::int32_t>::min();
    for (Mask rest = set; rest != 0; rest &= rest - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(rest));
      const Mask others = set & ~(Mask{1} << j);
      best = std::max(best, best_[others] + powers_[place(j, others)]);
    }
    best_[set] = best;
  }
}

void DagPosterior::steps_from(Mask from, double start, Steps& steps) const {
  steps.outside.clear();
  steps.factor.resize(std::size_t{1} << (n_ - static_cast<std::size_t>(std::popcount(from))));
  pulse::beat(2 * steps.factor.size());
  steps.power.resize(steps.factor.size());
  steps.reached.resize(steps.factor.size());
  steps.factor[0] = start;
  steps.power[0] = best_[from];
  steps.reached[0] = from;
  std::size_t known = 1;
  for (std::size_t j = 0; j < n_; ++j) {
    if ((from >> j) & 1U) continue;
    steps.outside.push_back(j);
    const double sum = -sums_[place(j, from)];
    const std::int32_t power = powers_[place(j, from)];
    for (std::size_t t = 0; t < known; ++t) {
      steps.factor[known + t] = steps.factor[t] * sum;
      steps.power[known + t] = steps.power[t] + power;
      steps.reached[known + t] = steps.reached[t] | (Mask{1} << j);
    }
    known *= 2;
  }
}

// The same with the power in the factor.
void DagPosterior::ordinary_steps_from(Mask from, double start, Steps& steps) const {
  steps.outside.clear();
  steps.factor.resize(std::size_t{1} << (n_ - static_cast<std::size_t>(std::popcount(from))));
  pulse::beat(2 * steps.factor.size());
  steps.reached.resize(steps.factor.size());
  steps.factor[0] = start;
  steps.reached[0] = from;
  std::size_t known = 1;
  for (std::size_t j = 0; j < n_; ++j) {
    if ((from >> j) & 1U) continue;
    steps.outside.push_back(j);
    const double sum = -sums_[place(j, from)] * power_of_two(powers_[place(j, from)]);
    for (std::size_t t = 0; t < known; ++t) {
      steps.factor[known + t] = steps.factor[t] * sum;
      steps.reached[known + t] = steps.reached[t] | (Mask{1} << j);
    }
    known *= 2;
  }
}

// From sums as ordinary numbers to those over the power of the best DAG.
void DagPosterior::rescale() {
  for (std::size_t set = 0; set < best_.size(); ++set) {
    partition_[set] = std::ldexp(partition_[set], -best_[set]);
    adjoint_[set] = std::ldexp(adjoint_[set], best_[set] - best_.back());
  }
  if (partition_.back() > 0) first_layers_ = next_layers(0);
}

void DagPosterior::forward() {
  partition_.assign(std::size_t{1} << n_, 0.0);
  partition_[0] = 1.0;
  Steps steps;
  for (Mask from = 0; from < everything(); ++from) {
    if (from % sets_per_beat == 0) pulse::progress(from, 2 * partition_.size());
    if (partition_[from] == 0.0) continue;
    if (modularity_ == Modularity::order) {
      for (std::size_t j = 0; j < n_; ++j) {
        if ((from >> j) & 1U) continue;
        const Mask to = from | (Mask{1} << j);
        const double factor = sums_[place(j, from)] * power_of_two(best_[from] + powers_[place(j, from)] - best_[to]);
        partition_[to] += partition_[from] * factor;
      }
      continue;
    }
    if (ordinary_) {
      ordinary_steps_from(from, -partition_[from], steps);
      for (std::size_t t = 1; t < steps.factor.size(); ++t) partition_[steps.reached[t]] += steps.factor[t];
      continue;
    }
    steps_from(from, -partition_[from], steps);
    for (std::size_t t = 1; t < steps.factor.size(); ++t) {
      const Mask to = steps.reached[t];
      partition_[to] += steps.factor[t] * power_of_two(steps.power[t] - best_[to]);
    }
  }
}

void DagPosterior::backward() {
  adjoint_.assign(std::size_t{1} << n_, 0.0);
  gradient_.assign(n_ * half_, 0.0);
  adjoint_[everything()] = 1.0;
  if (!(partition_[everything()] > 0)) return;
  if (modularity_ == Modularity::order) return backward_orders();
  Steps steps;
  for (Mask from = everything(); from-- > 0;) {
    if (from % sets_per_beat == 0) pulse::progress(2 * partition_.size() - from, 2 * partition_.size());
    adjoint_[from] = ordinary_ ? ordinary_reach(from, steps) : reach(from, steps);
    if (partition_[from] != 0.0) share_out(from, steps);
  }
  if (!ordinary_) first_layers_ = next_layers(0);
}

// What the DAGs on a set are worth to the whole, and for each step from it how much of that.
double DagPosterior::reach(Mask from, Steps& steps) const {
  steps_from(from, -1.0, steps);
  double total = 0;
  for (std::size_t t = 1; t < steps.factor.size(); ++t) {
    const Mask to = steps.reached[t];
    steps.factor[t] *= power_of_two(steps.power[t] - best_[to]) * adjoint_[to];
    total += steps.factor[t];
  }
  return total;
}

double DagPosterior::ordinary_reach(Mask from, Steps& steps) const {
  ordinary_steps_from(from, -1.0, steps);
  double total = 0;
  for (std::size_t t = 1; t < steps.factor.size(); ++t) {
    steps.factor[t] *= adjoint_[steps.reached[t]];
    total += steps.factor[t];
  }
  return total;
}

void DagPosterior::backward_orders() {
  for (Mask from = everything(); from-- > 0;) {
    if (from % sets_per_beat == 0) pulse::progress(2 * partition_.size() - from, 2 * partition_.size());
    for (std::size_t j = 0; j < n_; ++j) {
      if ((from >> j) & 1U) continue;
      const Mask to = from | (Mask{1} << j);
      const double scale = power_of_two(best_[from] + powers_[place(j, from)] - best_[to]) * adjoint_[to];
      adjoint_[from] += scale * sums_[place(j, from)];
      gradient_[place(j, from)] = partition_[from] * scale / partition_[everything()];
    }
  }
}

// The derivatives by each A_j(from): sums over the sets T with j, all of them by halving.
void DagPosterior::share_out(Mask from, Steps& steps) {
  const double scale = partition_[from] / partition_[everything()];
  steps.factor[0] = 0;
  std::size_t half = steps.factor.size() / 2;
  for (std::size_t k = steps.outside.size(); k-- > 0; half /= 2) {
    double sum = 0;
    for (std::size_t t = 0; t < half; ++t) {
      sum += steps.factor[half + t];
      steps.factor[t] += steps.factor[half + t];
    }
    const std::size_t where = place(steps.outside[k], from);
    if (sums_[where] > 0) gradient_[where] = sum * scale / sums_[where];
  }
}

double DagPosterior::log_partition() const {
  double sum = 0;
  for (const double term : largest_) sum += term;
  return sum + std::log(partition_[everything()]) + best_[everything()] * std::numbers::ln2;
}

std::vector<double> DagPosterior::edges() const {
  std::vector<double> result(n_ * n_);
  for (std::size_t j = 0; j < n_; ++j)
    for (Mask rank = 0; rank < half_; ++rank) {
      if (rank % sets_per_beat == 0) pulse::beat();
      const std::size_t here = j * half_ + rank;
      if (gradient_[here] == 0.0) continue;
      for (Mask rest = rank; rest != 0; rest &= rest - 1) {
        const std::size_t without = j * half_ + (rank & ~(rest & (0U - rest)));
        const auto i = static_cast<std::size_t>(std::countr_zero(stretch(rest & (0U - rest), j)));
        const double fewer = sums_[without] * power_of_two(powers_[without] - powers_[here]);
        result[i * n_ + j] += gradient_[here] * (sums_[here] - fewer);
      }
    }
  for (double& p : result) p = std::clamp(p, 0.0, 1.0);
  return result;
}

std::vector<double> DagPosterior::families(std::size_t child) const {
  const auto first = gradient_.begin() + static_cast<std::ptrdiff_t>(child * half_);
  std::vector<double> result(first, first + static_cast<std::ptrdiff_t>(half_));
  std::vector<std::int32_t> power(half_);
  for (std::size_t k = 0; k < half_; ++k) power[k] = -powers_[child * half_ + k];
  for (std::size_t bit = 1; bit < half_; bit <<= 1) {
    pulse::beat(half_);
    for (std::size_t k = 0; k < half_; ++k)
      if (!(k & bit)) add_scaled(result[k], power[k], result[k | bit], power[k | bit]);
  }
  for (Mask k = 0; k < half_; ++k)
    result[k] = std::clamp(result[k] * weight(child, stretch(k, child), -power[k]), 0.0, 1.0);
  return result;
}

double DagPosterior::mean_log_weight() const {
  double sum = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    const std::vector<double> share = families(j);
    sum += largest_[j];
    for (std::size_t k = 0; k < half_; ++k)
      if (share[k] > 0) sum += share[k] * (log_weights_[j * half_ + k] - largest_[j]);
  }
  return sum;
}

// w_j(P) over a power of 2.
double DagPosterior::weight(std::size_t node, Mask parents, std::int32_t power) const {
  return std::exp(log_weights_[place(node, parents)] - largest_[node] - power * std::numbers::ln2);
}

std::vector<Mask> DagPosterior::best() const {
  std::vector<double> single(n_ * half_);
  for (std::size_t k = 0; k < single.size(); ++k) single[k] = log_weights_[k] - largest_[k / half_];
  for (std::size_t j = 0; j < n_; ++j)
    for (std::size_t bit = 1; bit < half_; bit <<= 1) {
      pulse::beat(half_);
      for (std::size_t k = j * half_; k < (j + 1) * half_; ++k)
        if ((k - j * half_) & bit) single[k] = std::max(single[k], single[k - bit]);
    }
  std::vector<double> together(std::size_t{1} << n_);
  std::vector<std::uint8_t> last(together.size());
  for (Mask set = 1; set < together.size(); ++set) {
    if (set % sets_per_beat == 0) pulse::beat();
    together[set] = -std::numeric_limits<double>::infinity();
    for (Mask rest = set; rest != 0; rest &= rest - 1) {
      const auto j = static_cast<std::uint8_t>(std::countr_zero(rest));
      const Mask others = set & ~(Mask{1} << j);
      const double value = together[others] + single[place(j, others)];
      if (value <= together[set] && rest != set) continue;
      together[set] = value;
      last[set] = j;
    }
  }
  std::vector<Mask> parents(n_);
  for (Mask set = everything(); set != 0;) {
    const std::size_t j = last[set];
    set &= ~(Mask{1} << j);
    Mask chosen = set;
    // The smallest set as good as the best, so that a tie never adds an edge.
    for (Mask rest = set; rest != 0; rest &= rest - 1) {
      const Mask fewer = chosen & ~(rest & (0U - rest));
      if (single[place(j, fewer)] == single[place(j, set)]) chosen = fewer;
    }
    parents[j] = chosen;
  }
  return parents;
}

}  // namespace dagathlon
