#include "dagathlon/undirected/lasso_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/undirected/lasso_quadratic.hpp"
#include "dagathlon/undirected/lasso_response.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

namespace {

// With more parameters than this the curvature is replaced by a bound that is cheaper to compute.
constexpr std::size_t many_parameters = 500;

// The penalty of regressions without one, and what is asked of them.
constexpr double nearly_none = 1e-3;
constexpr GroupSettings unpenalised{.tolerance = 1e-6, .max_steps = 50};

// The regression of one variable: Newton steps whose quadratic problems are solved by descent over
// groups, on the groups that are not zero or might not stay so.
class GroupRegression {
 public:
  GroupRegression(const GroupedData& data, std::size_t target, const GroupSettings& settings)
      : data_(data),
        target_(target),
        settings_(settings),
        response_(data, target),
        d_(response_.dimensions()),
        ones_(data.rows, 1.0),
        predictors_(d_ * data.rows, 0.0),
        slopes_(data.size(), 0.0),
        active_(data.size(), false) {
    reset({});
    response_.evaluate(predictors_);
    newton(0.0);
    measure_all();
  }

  double largest() const { return *std::ranges::max_element(slopes_) / scale(); }

  // Warm-started from the penalty before; whether the optimality conditions hold.
  bool solve(double penalty, double before) {
    std::vector<std::size_t> kept;
    for (const std::size_t g : groups_)
      if (problem_.size_of(position(g)) > 0.0) kept.push_back(g);
    reset(kept);
    add_above((2.0 * penalty - before) * scale());
    bool converged = true;
    do {
      converged = newton(penalty * scale());
      measure_all();
    } while (converged && add_above(penalty * scale() + settings_.tolerance));
    return converged;
  }

  // The regression on given variables alone, all but without a penalty: so much of one that weights stay
  // finite where levels can be told apart for certain. Nothing where there are too many weights for the rows.
  std::optional<GroupFit> refit(const std::vector<std::size_t>& neighbours) {
    std::vector<std::size_t> kept;
    for (const std::size_t g : neighbours)
      if (active_[g]) kept.push_back(g);
    reset(kept);
    predict();  // without those that are no neighbours any more
    for (const std::size_t g : neighbours)
      if (!active_[g] && !data_.constant(g)) add(g);
    if (problem_.values.size() + 1 >= data_.rows) return std::nullopt;
    newton(nearly_none * scale());
    return fit();
  }

  GroupFit fit() const {
    GroupFit result;
    const auto& x = problem_.values;
    result.intercept.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(d_));
    for (const std::size_t g : groups_) {
      const auto [first, last] = problem_.groups[position(g)];
      if (problem_.size_of(position(g)) > 0.0)
        result.groups.push_back({g, std::vector<double>(x.begin() + static_cast<std::ptrdiff_t>(first),
                                                        x.begin() + static_cast<std::ptrdiff_t>(last))});
    }
    const double loss = response_.loss(), n = static_cast<double>(data_.rows);
    const double deviance = std::log(2.0 * std::numbers::pi * std::max(2.0 * loss, 1e-12)) + 1.0;
    result.log_likelihood = response_.is_discrete() ? -n * loss : -n * deviance / 2.0;
    return result;
  }

 private:
  double scale() const { return data_.scales[target_]; }
  // Place among the groups of the quadratic problem, of which the intercept is the first.
  std::size_t position(std::size_t g) const { return places_[g]; }

  // Starts again from the given groups and their present weights.
  void reset(const std::vector<std::size_t>& kept) {
    GroupQuadratic fresh;
    std::vector<std::size_t> places(data_.size(), 0);
    columns_.clear();
    active_.assign(data_.size(), false);
    active_[target_] = true;
    fresh.add(d_);
    columns_.push_back(ones_.data());
    if (!problem_.values.empty()) std::copy_n(problem_.values.begin(), d_, fresh.values.begin());
    for (const std::size_t g : kept) {
      const auto [first, last] = problem_.groups[position(g)];
      places[g] = fresh.groups.size();
      std::copy_n(problem_.values.begin() + static_cast<std::ptrdiff_t>(first), last - first, fresh.add(last - first));
      take_columns(g);
    }
    problem_ = std::move(fresh);
    places_ = std::move(places);
    groups_ = kept;
  }

  // What the present weights say of each row.
  void predict() {
    std::ranges::fill(predictors_, 0.0);
    for (std::size_t u = 0; u < columns_.size(); ++u)
      for (std::size_t a = 0; a < d_; ++a)
        add_multiple(predictors_.data() + a * data_.rows, columns_[u], problem_.values[u * d_ + a], data_.rows);
    response_.evaluate(predictors_);
  }

  void take_columns(std::size_t g) {
    active_[g] = true;
    for (std::size_t u = data_.starts[g]; u < data_.starts[g + 1]; ++u) columns_.push_back(data_.column(u));
  }

  bool add_above(double bound) {
    const std::size_t before = groups_.size();
    for (std::size_t g = 0; g < data_.size(); ++g)
      if (!active_[g] && !data_.constant(g) && slopes_[g] > bound) add(g);
    return groups_.size() > before;
  }

  void add(std::size_t g) {
    places_[g] = problem_.groups.size();
    problem_.add((data_.starts[g + 1] - data_.starts[g]) * d_);
    groups_.push_back(g);
    take_columns(g);
  }

  // Sizes of the slopes of the loss by all groups.
  void measure_all() {
    response_.residuals(residuals_);
    for (std::size_t g = 0; g < data_.size(); ++g) {
      if (g == target_) continue;
      pulse::beat(data_.rows * d_ * (data_.starts[g + 1] - data_.starts[g]));
      double sum = 0.0;
      for (std::size_t u = data_.starts[g]; u < data_.starts[g + 1]; ++u)
        for (std::size_t a = 0; a < d_; ++a) {
          const double slope = mean_product(data_.column(u), residuals_.data() + a * data_.rows);
          sum += slope * slope;
        }
      slopes_[g] = std::sqrt(sum);
    }
  }

  double mean_product(const double* a, const double* b) const {
    return dot(a, b, data_.rows) / static_cast<double>(data_.rows);
  }

  bool newton(double penalty) {
    std::vector<bool> before;
    for (std::size_t step = 0; step < settings_.max_steps; ++step) {
      measure();
      const double miss = problem_.violation(penalty);
      if (miss <= settings_.tolerance) return true;
      bend();
      const auto support = problem_.support();
      std::optional<std::vector<double>> goal;
      if (support == before && problem_.values.size() <= many_parameters) goal = problem_.smooth_step(penalty);
      if (!goal) goal = problem_.descend(penalty, miss / 100.0);
      if (!go(*goal, penalty)) return false;
      before = support;
    }
    return false;
  }

  // Slopes of the active parameters.
  void measure() {
    response_.residuals(residuals_);
    for (std::size_t u = 0; u < columns_.size(); ++u)
      for (std::size_t a = 0; a < d_; ++a)
        problem_.slopes[u * d_ + a] = mean_product(columns_[u], residuals_.data() + a * data_.rows);
  }

  // Second derivatives of the active parameters, or a bound of them.
  void bend() {
    const std::size_t n = data_.rows, size = problem_.values.size();
    problem_.curvature.assign(size * size, 0.0);
    const bool bounded = size > many_parameters && response_.is_discrete();
    if (!bounded) response_.weights(weights_);
    std::vector<double> weighted(n);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < d_; ++a)
      for (std::size_t b = a; b < d_; ++b, ++pair) {
        if (bounded && a != b) continue;
        for (std::size_t u = 0; u < columns_.size(); ++u) {
          pulse::beat(n * u);
          for (std::size_t i = 0; i < n; ++i)
            weighted[i] = columns_[u][i] * (bounded ? response_.largest_weight() : weights_[pair * n + i]);
          for (std::size_t v = 0; v <= u; ++v) {
            const double value = mean_product(weighted.data(), columns_[v]);
            set(u * d_ + a, v * d_ + b, value);
            set(u * d_ + b, v * d_ + a, value);
          }
        }
      }
  }

  void set(std::size_t row, std::size_t column, double value) {
    const std::size_t size = problem_.values.size();
    problem_.curvature[row * size + column] = problem_.curvature[column * size + row] = value;
  }

  // Towards other values as far as the criterion falls; false where it does nowhere.
  bool go(const std::vector<double>& goal, double penalty) {
    const std::size_t n = data_.rows;
    std::vector<double> change(d_ * n, 0.0);
    for (std::size_t u = 0; u < columns_.size(); ++u)
      for (std::size_t a = 0; a < d_; ++a) {
        const double move = goal[u * d_ + a] - problem_.values[u * d_ + a];
        if (move != 0.0) add_multiple(change.data() + a * n, columns_[u], move, n);
      }
    const double loss = response_.loss();
    const double start = loss + penalty * problem_.norms();
    const std::vector<double> from = problem_.values, predictors = predictors_;
    for (double step = 1.0; step > 1e-6; step /= 2.0) {
      pulse::beat(d_ * n);
      for (std::size_t k = 0; k < from.size(); ++k)
        problem_.values[k] = step == 1.0 ? goal[k] : from[k] + step * (goal[k] - from[k]);
      predictors_ = predictors;
      add_multiple(predictors_.data(), change.data(), step, change.size());
      // Close to the end the fall is less than the rounding of the sum.
      if (response_.evaluate(predictors_) + penalty * problem_.norms() <= start + 1e-13 * (1.0 + loss)) return true;
    }
    problem_.values = from;
    predictors_ = predictors;
    response_.evaluate(predictors_);
    return false;
  }

  const GroupedData& data_;
  std::size_t target_;
  GroupSettings settings_;
  Response response_;
  std::size_t d_;
  std::vector<double> ones_, predictors_, residuals_, weights_, slopes_;
  std::vector<bool> active_;
  std::vector<std::size_t> groups_, places_;
  std::vector<const double*> columns_;
  GroupQuadratic problem_;
};

}  // namespace

GroupPath group_path(const GroupedData& data, std::span<const double> penalties, const GroupSettings& settings) {
  const std::size_t p = data.size();
  GroupPath path{p, std::vector<GroupFit>(penalties.size() * p), true};
  std::vector<char> converged(p, 1);
  Team team(p);
  team.each(p, [&](std::size_t j, std::size_t) {
    pulse::progress(j, p);
    if (data.constant(j)) return;
    GroupRegression regression(data, j, settings);
    double before = regression.largest();
    for (std::size_t k = 0; k < penalties.size(); ++k) {
      if (!regression.solve(penalties[k], before)) converged[j] = 0;
      path.fits[k * p + j] = regression.fit();
      before = penalties[k];
    }
  });
  path.converged = std::ranges::find(converged, char{0}) == converged.end();
  return path;
}

GroupPath group_refits(const GroupedData& data, std::span<const bool> graphs) {
  const std::size_t p = data.size(), count = graphs.size() / (p * p);
  GroupPath path{p, std::vector<GroupFit>(count * p), true};
  Team team(p);
  team.each(p, [&](std::size_t j, std::size_t) {
    pulse::progress(j, p);
    if (data.constant(j)) return;
    GroupRegression regression(data, j, unpenalised);
    std::vector<std::size_t> before{p};
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<std::size_t> neighbours;
      for (std::size_t g = 0; g < p; ++g)
        if (g != j && graphs[(k * p + j) * p + g]) neighbours.push_back(g);
      auto& fit = path.fits[k * p + j];
      if (neighbours == before) fit = path.fits[(k - 1) * p + j];
      else fit = regression.refit(neighbours).value_or(GroupFit{{}, {}, -std::numeric_limits<double>::infinity()});
      before = std::move(neighbours);
    }
  });
  return path;
}

}  // namespace dagathlon
