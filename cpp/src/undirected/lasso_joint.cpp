#include "dagathlon/undirected/lasso_joint.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Below this a variable is a combination of its neighbours.
constexpr double least_variance = 1e-6;

// Changes of a partial correlation that are rounding.
constexpr double nothing = 1e-14;

// Coordinate descent over the pairs that are joined, or might be. A sweep over few pairs computes the
// products of residuals and columns that it needs; those of all pairs are computed once it has settled.
class Joint {
 public:
  Joint(std::span<const double> correlation, std::size_t p, const JointSettings& settings)
      : correlation_(correlation),
        p_(p),
        settings_(settings),
        cells_(p * p, 0.0),
        products_(p * p),
        roots_(p, 1.0),
        weights_(p, 1.0),
        precisions_(p, 1.0),
        neighbours_(p),
        active_(p * p, false) {}

  bool solve(double penalty) {
    std::fill(precisions_.begin(), precisions_.end(), 1.0);
    std::fill(roots_.begin(), roots_.end(), 1.0);
    std::fill(weights_.begin(), weights_.end(), 1.0);
    bool converged = true;
    for (std::size_t round = 0; round < settings_.rounds; ++round) {
      if (round > 0) reweight();
      converged = settle(2.0 * penalty);
    }
    return converged;
  }

  JointEstimate estimate() {
    JointEstimate result{{}, precisions_, weights_, std::vector<double>(p_)};
    for (const Pair pair : pairs_)
      if (const double value = cells_[pair.i * p_ + pair.j]; value != 0.0)
        result.partial_correlations.push_back({pair.i, pair.j, value});
    for (std::size_t i = 0; i < p_; ++i) result.precisions[i] = 1.0 / residual_variance(i);
    return result;
  }

 private:
  struct Pair {
    std::size_t i, j;
  };

  const double* row(std::size_t i) const { return correlation_.data() + i * p_; }
  double ratio(std::size_t i, std::size_t j) const { return roots_[j] / roots_[i]; }

  // After solving, when all products are fresh.
  double residual_variance(std::size_t i) const {
    double sum = row(i)[i];
    for (const std::size_t j : neighbours_[i])
      sum -= cells_[i * p_ + j] * ratio(i, j) * (row(i)[j] + products_[i * p_ + j]);
    return std::max(sum, least_variance);
  }

  void reweight() {
    for (std::size_t i = 0; i < p_; ++i) precisions_[i] = 1.0 / residual_variance(i);
    for (std::size_t i = 0; i < p_; ++i) roots_[i] = std::sqrt(precisions_[i]);
    if (settings_.weights == JointWeights::precision) weights_ = precisions_;
    if (settings_.weights != JointWeights::degree) return;
    double total = 0.0;
    for (std::size_t i = 0; i < p_; ++i) total += weights_[i] = 1.0 + static_cast<double>(degree(i));
    for (double& weight : weights_) weight *= static_cast<double>(p_) / total;
  }

  std::size_t degree(std::size_t i) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(neighbours_[i], [&](std::size_t j) { return cells_[i * p_ + j] != 0.0; }));
  }

  // Mean product of the residual of i with column j.
  double product(std::size_t i, std::size_t j) const {
    const double* weights = cells_.data() + i * p_;
    double explained = 0.0;
    for (const std::size_t k : neighbours_[i]) explained += weights[k] * roots_[k] * row(j)[k];
    return row(i)[j] - explained / roots_[i];
  }

  double slope(double from_i, double from_j, Pair pair) const {
    return weights_[pair.i] * ratio(pair.i, pair.j) * from_i + weights_[pair.j] * ratio(pair.j, pair.i) * from_j;
  }

  double curvature(Pair pair) const {
    const double there = ratio(pair.i, pair.j), back = ratio(pair.j, pair.i);
    return weights_[pair.i] * there * there * row(pair.j)[pair.j] +
           weights_[pair.j] * back * back * row(pair.i)[pair.i];
  }

  void refresh() {
    for (std::size_t i = 0; i < p_; ++i) {
      pulse::beat(p_ * neighbours_[i].size());
      double* to = products_.data() + i * p_;
      std::copy_n(row(i), p_, to);
      for (const std::size_t j : neighbours_[i])
        if (cells_[i * p_ + j] != 0.0) add_multiple(to, row(j), -cells_[i * p_ + j] * ratio(i, j), p_);
    }
  }

  // Whether there was a pair outside the active ones whose slope is above the bound.
  bool add_above(double bound) {
    const std::size_t before = pairs_.size();
    for (std::size_t i = 0; i < p_; ++i)
      for (std::size_t j = i + 1; j < p_; ++j) {
        const double steep = slope(products_[i * p_ + j], products_[j * p_ + i], {i, j});
        if (!active_[i * p_ + j] && std::abs(steep) > bound) add({i, j});
      }
    return pairs_.size() > before;
  }

  void add(Pair pair) {
    active_[pair.i * p_ + pair.j] = true;
    pairs_.push_back(pair);
    neighbours_[pair.i].push_back(pair.j);
    neighbours_[pair.j].push_back(pair.i);
  }

  // Pairs that stayed at zero only cost time.
  void prune() {
    for (auto& list : neighbours_) list.clear();
    auto pairs = std::move(pairs_);
    pairs_.clear();
    for (const Pair pair : pairs) {
      active_[pair.i * p_ + pair.j] = false;
      if (cells_[pair.i * p_ + pair.j] != 0.0) add(pair);
    }
  }

  bool settle(double penalty) {
    prune();
    refresh();
    add_above(penalty);
    do {
      if (!descend(penalty)) return false;
      refresh();
    } while (add_above(penalty + settings_.tolerance));
    return true;
  }

  bool descend(double penalty) {
    for (std::size_t sweeps = 0; sweeps < settings_.max_sweeps; ++sweeps) {
      double worst = 0.0;
      for (const Pair pair : pairs_) {
        pulse::beat(neighbours_[pair.i].size() + neighbours_[pair.j].size());
        double& cell = cells_[pair.i * p_ + pair.j];
        const double steep = slope(product(pair.i, pair.j), product(pair.j, pair.i), pair);
        const double bend = curvature(pair);
        const double to = shrunk(steep + bend * cell, penalty) / bend;
        if (!(std::abs(to - cell) <= nothing)) worst = std::max(worst, std::abs(to - cell) * bend);
        cells_[pair.j * p_ + pair.i] = cell = to;
      }
      if (!std::isfinite(worst)) return false;
      if (worst <= settings_.tolerance) return true;
    }
    return false;
  }

  std::span<const double> correlation_;
  std::size_t p_;
  JointSettings settings_;
  std::vector<double> cells_, products_, roots_, weights_, precisions_;
  std::vector<std::vector<std::size_t>> neighbours_;
  std::vector<bool> active_;
  std::vector<Pair> pairs_;
};

}  // namespace

JointPath joint_path(std::span<const double> correlation, std::size_t p, std::span<const double> penalties,
                     const JointSettings& settings) {
  JointPath path{p, {}, true};
  Joint joint(correlation, p, settings);
  for (std::size_t k = 0; k < penalties.size(); ++k) {
    pulse::progress(k, penalties.size());
    path.converged = joint.solve(penalties[k]) && path.converged;
    path.estimates.push_back(joint.estimate());
  }
  return path;
}

}  // namespace dagathlon
