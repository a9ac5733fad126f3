#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/lingam.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

constexpr double collinear = 1e-10;

// Products of scaled predictors with each other and with the target.
struct Problem {
  std::size_t size;
  std::vector<double> gram;
  std::vector<double> target;
  double target_square;
  double operator()(std::size_t i, std::size_t j) const { return gram[i * size + j]; }
};

// Cholesky factor of the products of chosen predictors, grown by one at a time.
class Factor {
 public:
  explicit Factor(const Problem& problem) : problem_(&problem) {}
  const std::vector<std::size_t>& members() const { return members_; }
  // Whether the predictor could be added: it is no combination of those chosen before.
  bool add(std::size_t j) {
    std::vector<double> row(members_.size() + 1);
    double rest = (*problem_)(j, j);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      double sum = (*problem_)(j, members_[i]);
      for (std::size_t k = 0; k < i; ++k) sum -= rows_[i][k] * row[k];
      row[i] = sum / rows_[i][i];
      rest -= row[i] * row[i];
    }
    if (!(rest > collinear * (*problem_)(j, j))) return false;
    row.back() = std::sqrt(rest);
    rows_.push_back(std::move(row));
    members_.push_back(j);
    return true;
  }
  // Takes a predictor out; the rows of those before it stay as they are.
  void remove(std::size_t gone) {
    const auto place = std::ranges::find(members_, gone);
    const std::vector<std::size_t> later(place + 1, members_.end());
    rows_.resize(static_cast<std::size_t>(place - members_.begin()));
    members_.erase(place, members_.end());
    for (const std::size_t j : later) add(j);
  }
  std::vector<double> solve(std::vector<double> x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= rows_[i][k] * x[k];
      x[i] /= rows_[i][i];
    }
    for (std::size_t i = x.size(); i-- > 0;) {
      for (std::size_t k = i + 1; k < x.size(); ++k) x[i] -= rows_[k][i] * x[k];
      x[i] /= rows_[i][i];
    }
    return x;
  }

 private:
  const Problem* problem_;
  std::vector<std::size_t> members_;
  std::vector<std::vector<double>> rows_;
};

std::vector<double> least_squares(const Problem& problem) {
  Factor factor(problem);
  std::vector<double> right, result(problem.size, 0.0);
  for (std::size_t j = 0; j < problem.size; ++j)
    if (factor.add(j)) right.push_back(problem.target[j]);
  const auto solution = factor.solve(right);
  for (std::size_t k = 0; k < solution.size(); ++k) result[factor.members()[k]] = solution[k];
  return result;
}

double residual_square(const Problem& problem, std::span<const double> weights) {
  double sum = problem.target_square;
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < problem.size; ++i)
    if (weights[i] != 0.0) used.push_back(i);
  for (const std::size_t i : used) {
    double product = -2.0 * problem.target[i];
    for (const std::size_t j : used) product += problem(i, j) * weights[j];
    sum += weights[i] * product;
  }
  return std::max(sum, 0.0);
}

// The lasso for all penalties, from the one that leaves no weight down to none (Efron et al. 2004).
class Path {
 public:
  explicit Path(const Problem& problem)
      : problem_(problem), weights_(problem.size, 0.0), slopes_(problem.target), barred_(problem.size, false),
        chosen_(problem.size, false), factor_(problem) {
    for (const double slope : slopes_) penalty_ = std::max(penalty_, std::abs(slope));
  }
  const std::vector<double>& weights() const { return weights_; }

  // Goes to the next penalty at which a predictor enters or leaves; false at the end.
  bool advance() {
    enter();
    if (penalty_ <= 0.0 || factor_.members().empty()) return false;
    const auto& members = factor_.members();
    std::vector<double> signs;
    for (const std::size_t i : members) signs.push_back(slopes_[i] < 0.0 ? -1.0 : 1.0);
    const auto direction = factor_.solve(signs);
    std::vector<double> change(problem_.size, 0.0);
    for (std::size_t k = 0; k < members.size(); ++k)
      for (std::size_t j = 0; j < problem_.size; ++j) change[j] += problem_(members[k], j) * direction[k];
    double step = until_entry(change);
    std::size_t leaving = problem_.size;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const double until_zero = -weights_[members[k]] / direction[k];
      if (until_zero > 0.0 && until_zero < step) {
        step = until_zero;
        leaving = members[k];
      }
    }
    for (std::size_t k = 0; k < members.size(); ++k) weights_[members[k]] += step * direction[k];
    for (std::size_t j = 0; j < problem_.size; ++j) slopes_[j] -= step * change[j];
    penalty_ = step < penalty_ ? penalty_ - step : 0.0;
    // One that has just left is at the edge of entering again: it waits for the next penalty.
    left_ = leaving;
    if (leaving < problem_.size) leave(leaving);
    return penalty_ > 0.0;
  }

 private:
  void enter() {
    for (std::size_t j = 0; j < problem_.size; ++j)
      if (!barred_[j] && j != left_ && !chosen_[j] && std::abs(slopes_[j]) >= penalty_ * (1.0 - 1e-12)) {
        chosen_[j] = factor_.add(j);
        barred_[j] = !chosen_[j];
      }
  }
  void leave(std::size_t gone) {
    weights_[gone] = 0.0;
    factor_.remove(gone);
    chosen_.assign(problem_.size, false);
    for (const std::size_t i : factor_.members()) chosen_[i] = true;
  }
  double until_entry(std::span<const double> change) const {
    double step = penalty_;
    for (std::size_t j = 0; j < problem_.size; ++j) {
      if (barred_[j] || j == left_ || chosen_[j]) continue;
      for (const double sign : {1.0, -1.0}) {
        const double rate = 1.0 - sign * change[j];
        const double needed = (penalty_ - sign * slopes_[j]) / rate;
        if (rate > 0.0 && needed > 0.0 && needed < step) step = needed;
      }
    }
    return step;
  }

  const Problem& problem_;
  std::vector<double> weights_, slopes_;
  std::vector<bool> barred_, chosen_;
  Factor factor_;
  double penalty_ = 0.0;
  std::size_t left_ = std::numeric_limits<std::size_t>::max();
};

Problem scaled(Problem problem, std::span<const double> factors) {
  for (std::size_t i = 0; i < problem.size; ++i) {
    problem.target[i] *= factors[i];
    for (std::size_t j = 0; j < problem.size; ++j) problem.gram[i * problem.size + j] *= factors[i] * factors[j];
  }
  return problem;
}

// The weights with the best BIC, given the residual variance of the full model.
std::vector<double> best_by_bic(const Problem& problem, double variance, double rows) {
  Path path(problem);
  std::vector<double> best;
  double lowest = std::numeric_limits<double>::infinity();
  const auto judge = [&] {
    const auto free = problem.size - static_cast<std::size_t>(std::ranges::count(path.weights(), 0.0));
    const double bic = residual_square(problem, path.weights()) / variance + std::log(rows) * static_cast<double>(free);
    if (bic < lowest) {
      lowest = bic;
      best = path.weights();
    }
  };
  judge();
  // A path can be long, but not without end.
  for (std::size_t step = 0; step < 50 * (problem.size + 1); ++step) {
    pulse::beat(problem.size * problem.size);
    const bool more = path.advance();
    judge();
    if (!more) break;
  }
  return best;
}

}  // namespace

std::vector<double> adaptive_lasso(std::span<const double> scatter, std::size_t p,
                                   std::span<const std::size_t> predictors, std::size_t target, std::size_t rows) {
  const std::size_t k = predictors.size();
  Problem problem{k, std::vector<double>(k * k), std::vector<double>(k), scatter[target * p + target]};
  for (std::size_t i = 0; i < k; ++i) {
    problem.target[i] = scatter[predictors[i] * p + target];
    for (std::size_t j = 0; j < k; ++j) problem.gram[i * k + j] = scatter[predictors[i] * p + predictors[j]];
  }
  const auto full = least_squares(problem);
  // A target without residuals keeps a trace of variance, so that the criterion is finite.
  const double freedom = std::max(1.0, static_cast<double>(rows) - static_cast<double>(k) - 1.0);
  const double variance =
      std::max(residual_square(problem, full) / freedom, collinear * problem.target_square / static_cast<double>(rows));
  if (!(variance > 0.0)) return std::vector<double>(k, 0.0);
  std::vector<double> sizes;
  for (const double weight : full) sizes.push_back(std::abs(weight));
  auto weights = best_by_bic(scaled(problem, sizes), variance, static_cast<double>(rows));
  for (std::size_t i = 0; i < k; ++i) weights[i] *= sizes[i];
  return weights;
}

}  // namespace dagathlon
