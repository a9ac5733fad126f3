#include "dagathlon/undirected/lasso.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

namespace {

// Trials of the penalty that a square-root lasso stands for.
constexpr std::size_t most_trials = 100;

// Sweeps for which signs may go on changing before the solution with the present ones is tried.
constexpr std::size_t patience = 8;

// Exact solutions that may fail before predictors go in and out one at a time, and steps of that.
constexpr std::size_t most_failures = 3;
constexpr std::size_t steps_per_predictor = 20;
constexpr double trace = 1e-100;

// The regression of one variable: coordinate descent over a set of active predictors that grows along
// the path, finished by the exact solution for the signs that it has found.
class Regression {
 public:
  Regression(std::span<const double> gram, std::size_t p, std::size_t target, const LassoSettings& settings)
      : gram_(gram),
        p_(p),
        target_(target),
        settings_(settings),
        all_slopes_(row(target), row(target) + p),
        active_(p, false) {
    active_[target] = true;  // never a predictor of its own
  }

  // The smallest penalty at which all weights are zero.
  double largest() const {
    double bound = 0.0;
    for (std::size_t k = 0; k < p_; ++k)
      if (k != target_) bound = std::max(bound, std::abs(row(target_)[k]));
    return bound;
  }

  // Warm-started from the penalty before; whether the optimality conditions hold.
  bool solve(double penalty, double before) {
    add_above((2.0 * penalty - before) * scale());
    bool converged = true;
    do {
      pulse::beat(p_ * members_.size());
      converged = settings_.square_root ? descend_by_deviation(penalty) : descend(penalty);
      refresh();
    } while (converged && add_above(penalty * scale() + settings_.tolerance));
    return converged;
  }

  std::vector<RegressionWeight> weights() const {
    std::vector<RegressionWeight> result;
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (weights_[k] != 0.0) result.push_back({members_[k], weights_[k]});
    return result;
  }

  double residual_variance() const {
    const double* target = row(target_);
    double sum = target[target_];
    for (std::size_t k = 0; k < members_.size(); ++k) sum -= weights_[k] * (target[members_[k]] + slopes_[k]);
    return std::max(sum, 0.0);
  }

 private:
  const double* row(std::size_t k) const { return gram_.data() + k * p_; }

  // What the penalty is multiplied by in the lasso that has the same solution.
  double scale() const {
    return settings_.square_root ? std::max(std::sqrt(residual_variance()), least_deviation) : 1.0;
  }

  // Whether there was any predictor whose slope is above the bound.
  bool add_above(double bound) {
    const std::size_t before = members_.size();
    for (std::size_t k = 0; k < p_; ++k)
      if (!active_[k] && std::abs(all_slopes_[k]) > bound) add(k);
    return members_.size() > before;
  }

  void add(std::size_t predictor) {
    active_[predictor] = true;
    members_.push_back(predictor);
    weights_.push_back(0.0);
    slopes_.push_back(all_slopes_[predictor]);
    products_.emplace_back();
    for (std::size_t k = 0; k < members_.size(); ++k) products_.back().push_back(row(predictor)[members_[k]]);
    for (std::size_t k = 0; k + 1 < members_.size(); ++k) products_[k].push_back(products_.back()[k]);
  }

  // Slopes of all variables from the weights, free of accumulated rounding.
  void refresh() {
    std::copy_n(row(target_), p_, all_slopes_.begin());
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (weights_[k] != 0.0) add_multiple(all_slopes_.data(), row(members_[k]), -weights_[k], p_);
    for (std::size_t k = 0; k < members_.size(); ++k) slopes_[k] = all_slopes_[members_[k]];
  }

  // The same of the active predictors only.
  void refresh_active() {
    for (std::size_t k = 0; k < members_.size(); ++k) slopes_[k] = row(target_)[members_[k]];
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (weights_[k] != 0.0) add_multiple(slopes_.data(), products_[k].data(), -weights_[k], members_.size());
  }

  void change(std::size_t k, double to) {
    add_multiple(slopes_.data(), products_[k].data(), weights_[k] - to, members_.size());
    weights_[k] = to;
  }

  // The largest change of a slope of its own, and whether a weight became zero, or not zero.
  struct Sweep {
    double largest = 0.0;
    bool other_signs = false;
  };

  Sweep sweep(double penalty) {
    Sweep result;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const double curvature = products_[k][k], old = weights_[k];
      const double to = shrunk(slopes_[k] + curvature * old, penalty) / curvature;
      if (to == old) continue;
      result.largest = std::max(result.largest, std::abs(to - old) * curvature);
      result.other_signs = result.other_signs || std::signbit(to) != std::signbit(old) || (to == 0.0) != (old == 0.0);
      change(k, to);
    }
    return result;
  }

  // The lasso over the active predictors.
  bool descend(double penalty) {
    if (members_.empty()) return true;
    // So many sweeps cost about as much as an exact solution.
    const std::size_t pause = 1 + members_.size() / 16;
    std::size_t next = pause, failures = 0;
    for (std::size_t sweeps = 1; sweeps <= settings_.max_sweeps; ++sweeps) {
      pulse::beat(members_.size() * members_.size());
      const Sweep swept = sweep(penalty);
      if (!std::isfinite(swept.largest)) return false;
      // No condition within the set can be missed by more than all the changes together.
      if (swept.largest * static_cast<double>(members_.size()) <= settings_.tolerance) return true;
      if (sweeps < next || (swept.other_signs && sweeps < next + patience)) continue;
      if (exact(penalty)) return true;
      if (++failures == most_failures) return finish(penalty);
      next = sweeps + pause;
    }
    return false;
  }

  // The square-root lasso: the lasso whose penalty is the given one times the deviation of its own
  // residuals. Their ratio never falls as the penalty of the lasso rises, so that it lies between a
  // trial with too small and one with too large a ratio.
  bool descend_by_deviation(double penalty) {
    double low = penalty * least_deviation, high = penalty * std::sqrt(row(target_)[target_]);
    // Sweeps with the deviation of the moment come near at little cost.
    for (std::size_t k = 0; k < patience + members_.size() / 16; ++k) {
      pulse::beat(members_.size() * members_.size());
      const Sweep swept = sweep(penalty * scale());
      if (k > 2 && !swept.other_signs) break;
    }
    double trial = matching(penalty);
    if (!(low <= trial && trial <= high)) trial = penalty * scale();
    for (std::size_t k = 0; k < most_trials; ++k) {
      if (!exact(trial) && !descend(trial)) return false;
      const double wanted = penalty * scale();
      if (std::abs(wanted - trial) <= settings_.tolerance) return true;
      (wanted > trial ? low : high) = trial;
      trial = matching(penalty);
      // Where signs change again and again the match comes nearer from one side only.
      const bool halve = k % 4 == 3 || !(low <= trial && trial <= high);
      if (halve) trial = std::sqrt(low * high);
    }
    return false;
  }

  // One predictor in or out at a time, with the exact solution in between, for predictors that are so
  // nearly combinations of each other that sweeps get nowhere. The criterion falls at every step.
  bool finish(double penalty) {
    for (std::size_t step = 0; step < steps_per_predictor * (members_.size() + 1); ++step) {
      pulse::beat(members_.size() * members_.size() * members_.size() / 6);
      if (exact(penalty)) return true;
      std::size_t worst = members_.size();
      double most = penalty + settings_.tolerance;
      for (std::size_t k = 0; k < members_.size() && reached_; ++k) {
        if (weights_[k] != 0.0 || !(std::abs(slopes_[k]) > most)) continue;
        most = std::abs(slopes_[k]);
        worst = k;
      }
      // A trace of weight gives it a sign.
      if (worst < members_.size()) weights_[worst] = std::copysign(trace, slopes_[worst]);
    }
    return false;
  }

  // Goes towards the solution with the present signs, up to the first weight that would change its own:
  // the criterion falls all the way. Whether the solution was reached and holds in the active set.
  bool exact(double penalty) {
    std::vector<std::size_t> support = independent_support();
    const auto solution = solved(support, penalty);
    std::vector<double> move(support.size());
    for (std::size_t i = 0; i < support.size(); ++i) move[i] = solution[i] - weights_[support[i]];
    reached_ = go(support, move, 1.0);
    refresh_active();
    return reached_ && holds(penalty);
  }

  // Goes along a direction until a weight is zero, at most to the limit; whether the limit was reached.
  bool go(std::span<const std::size_t> support, std::span<const double> move, double limit) {
    std::size_t stopper = members_.size();
    for (std::size_t i = 0; i < support.size(); ++i) {
      const double reach = -weights_[support[i]] / move[i];
      if (!(reach > 0.0) || reach > limit) continue;
      limit = reach;
      stopper = support[i];
    }
    dropped_ = stopper < members_.size();
    if (!std::isfinite(limit)) return false;
    for (std::size_t i = 0; i < support.size(); ++i) weights_[support[i]] += limit * move[i];
    if (stopper < members_.size()) weights_[stopper] = 0.0;
    return stopper == members_.size();
  }

  // The weights that are not zero. Where a predictor is a combination of others, weights are exchanged
  // at the same residuals and no larger penalty until one is zero.
  std::vector<std::size_t> independent_support() {
    for (;;) {
      std::vector<std::size_t> support;
      for (std::size_t k = 0; k < members_.size(); ++k)
        if (weights_[k] != 0.0) support.push_back(k);
      if (support == factored_) return support;
      const std::size_t rank = factor_.factor(products_of(support), support.size());
      if (rank == support.size()) return factored_ = support;
      factored_.clear();
      pulse::beat(rank * rank * rank);
      std::vector<double> move(rank);
      for (std::size_t i = 0; i < rank; ++i) move[i] = -products_[support[rank]][support[i]];
      factor_.solve(move);
      move.push_back(1.0);
      double growth = 0.0;
      for (std::size_t i = 0; i <= rank; ++i) growth += move[i] * sign(support[i]);
      if (growth > 0.0)
        for (double& part : move) part = -part;
      const double unlimited = std::numeric_limits<double>::infinity();
      // Nothing but a number that is none can be in the way; then the loop must end all the same.
      if (!go(std::span(support).first(rank + 1), move, unlimited) && !dropped_) weights_[support[rank]] = 0.0;
    }
  }

  double sign(std::size_t k) const { return weights_[k] > 0.0 ? 1.0 : -1.0; }

  bool holds(double penalty) const {
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const double miss =
          weights_[k] == 0.0 ? std::abs(slopes_[k]) - penalty : std::abs(slopes_[k] - sign(k) * penalty);
      if (!(miss <= settings_.tolerance)) return false;
    }
    return true;
  }

  std::vector<double> products_of(std::span<const std::size_t> support) const {
    const std::size_t n = support.size();
    std::vector<double> matrix(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j) matrix[i * n + j] = products_[support[i]][support[j]];
    return matrix;
  }

  // Weights of a factored support at which its slopes equal the penalty with the present signs.
  std::vector<double> solved(std::span<const std::size_t> support, double penalty) const {
    std::vector<double> weights;
    for (const std::size_t k : support) weights.push_back(row(target_)[members_[k]] - penalty * sign(k));
    factor_.solve(weights);
    return weights;
  }

  // The penalty of the lasso that a square-root lasso with the present signs has: with the least-squares
  // weights b and u = R⁻¹ sign its weights are b − t·u, where t² = penalty²·(Q(b) + t²·sign'u).
  double matching(double penalty) {
    const auto support = independent_support();
    const auto full = solved(support, 0.0), with_pull = solved(support, 1.0);
    double left = row(target_)[target_], room = 1.0;
    for (std::size_t i = 0; i < support.size(); ++i) {
      left -= row(target_)[members_[support[i]]] * full[i];
      room -= penalty * penalty * sign(support[i]) * (full[i] - with_pull[i]);
    }
    if (!(room > 0.0)) return std::numeric_limits<double>::infinity();
    return penalty * std::max(std::sqrt(std::max(left, 0.0) / room), least_deviation);
  }

  std::span<const double> gram_;
  std::size_t p_, target_;
  LassoSettings settings_;
  std::vector<double> all_slopes_;
  std::vector<bool> active_;
  std::vector<std::size_t> members_;
  std::vector<std::vector<double>> products_;
  std::vector<double> weights_, slopes_;
  UpperFactor factor_;
  // The support that it is of.
  std::vector<std::size_t> factored_;
  // Whether the last exact solution had the signs that it was computed with.
  bool reached_ = false;
  // Whether a weight became zero on the last way.
  bool dropped_ = false;
};

}  // namespace

RegressionPath neighbourhood_path(std::span<const double> correlation, std::size_t p, std::span<const double> penalties,
                                  const LassoSettings& settings) {
  RegressionPath path{p, {}, {}, true};
  path.weights.resize(penalties.size() * p);
  path.residual_variances.resize(penalties.size() * p);
  std::vector<char> converged(p, 1);
  Team team(p);
  team.each(p, [&](std::size_t j, std::size_t) {
    pulse::progress(j, p);
    Regression regression(correlation, p, j, settings);
    double before = regression.largest();
    for (std::size_t k = 0; k < penalties.size(); ++k) {
      if (!regression.solve(penalties[k], before)) converged[j] = 0;
      path.weights[k * p + j] = regression.weights();
      path.residual_variances[k * p + j] = regression.residual_variance();
      before = penalties[k];
    }
  });
  path.converged = std::ranges::find(converged, char{0}) == converged.end();
  return path;
}

}  // namespace dagathlon
