#include "dagathlon/lasso.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/lasso_algebra.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

// More than any weight of a standardised predictor.
constexpr double far = 1e4;

// The regression of one variable: coordinate descent over a set of active predictors that grows along
// the path, finished by the exact solution for the signs that it has found.
class Regression {
 public:
  Regression(std::span<const double> gram, std::size_t p, std::size_t target, const LassoSettings& settings)
      : gram_(gram), p_(p), target_(target), settings_(settings), all_slopes_(row(target), row(target) + p),
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
      converged = descend(penalty);
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

  double scale() const { return settings_.square_root ? std::max(std::sqrt(residual_variance()), least_deviation) : 1.0; }

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

  bool descend(double penalty) {
    if (members_.empty()) return true;
    std::size_t until_exact = 1 + members_.size() / 16;
    for (std::size_t sweeps = 1; sweeps <= settings_.max_sweeps; ++sweeps) {
      pulse::beat(members_.size() * members_.size());
      const double scale_before = scale();
      const Sweep swept = sweep(penalty * scale_before);
      if (!std::isfinite(swept.largest)) return false;
      // No condition within the set can be missed by more than all the changes together.
      const double moved = penalty * std::abs(scale() - scale_before);
      if (swept.largest * static_cast<double>(members_.size()) + moved <= settings_.tolerance) return true;
      if (swept.other_signs || sweeps < until_exact) continue;
      if (exact(penalty)) return true;
      until_exact = 2 * sweeps;
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
    const bool reached = go(support, move, 1.0);
    refresh();
    return reached && holds(penalty * scale());
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
      const std::size_t rank = factor_.factor(products_of(support), support.size());
      if (rank == support.size()) return support;
      pulse::beat(rank * rank * rank);
      std::vector<double> move(rank);
      for (std::size_t i = 0; i < rank; ++i) move[i] = -products_[support[rank]][support[i]];
      factor_.solve(move);
      move.push_back(1.0);
      double growth = 0.0;
      for (std::size_t i = 0; i <= rank; ++i) growth += move[i] * sign(support[i]);
      if (growth > 0.0)
        for (double& part : move) part = -part;
      go(std::span(support).first(rank + 1), move, std::numeric_limits<double>::infinity());
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

  // Weights of a factored support at which its slopes equal the penalty with the present signs. With u = R⁻¹ sign and the least-squares weights b the square-root lasso has
  // them at b − penalty·√Q·u, where Q = Q(b) + penalty²·Q·sign'u.
  std::vector<double> solved(std::span<const std::size_t> support, double penalty) const {
    const std::size_t n = support.size();
    std::vector<double> right(n), lean(n);
    for (std::size_t i = 0; i < n; ++i) {
      right[i] = row(target_)[members_[support[i]]];
      lean[i] = sign(support[i]);
    }
    std::vector<double> solution = right;
    factor_.solve(solution);
    factor_.solve(lean);
    double pull = penalty;
    if (settings_.square_root) {
      const double left = row(target_)[target_] - dot(right.data(), solution.data(), n);
      double room = 1.0;
      for (std::size_t i = 0; i < n; ++i) room -= penalty * penalty * sign(support[i]) * lean[i];
      // Without room the criterion falls with these signs however far the weights are pulled.
      pull *= room > 0.0 ? std::max(std::sqrt(std::max(left, 0.0) / room), least_deviation) : far;
    }
    add_multiple(solution.data(), lean.data(), -pull, n);
    return solution;
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
};

}  // namespace

RegressionPath neighbourhood_path(std::span<const double> correlation, std::size_t p, std::span<const double> penalties,
                                  const LassoSettings& settings) {
  RegressionPath path{p, {}, {}, true};
  path.weights.resize(penalties.size() * p);
  path.residual_variances.resize(penalties.size() * p);
  for (std::size_t j = 0; j < p; ++j) {
    pulse::progress(j, p);
    Regression regression(correlation, p, j, settings);
    double before = regression.largest();
    for (std::size_t k = 0; k < penalties.size(); ++k) {
      path.converged = regression.solve(penalties[k], before) && path.converged;
      path.weights[k * p + j] = regression.weights();
      path.residual_variances[k * p + j] = regression.residual_variance();
      before = penalties[k];
    }
  }
  return path;
}

}  // namespace dagathlon
