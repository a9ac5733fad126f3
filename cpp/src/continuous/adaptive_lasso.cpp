#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/continuous/lingam.hpp"
#include "dagathlon/run/pulse.hpp"

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

// Cholesky factor of the products of chosen predictors, grown by one at a time. Columns are kept without the
// diagonal: going down them, sums of many rows grow side by side, each in the order of its own terms.
class Factor {
 public:
  explicit Factor(const Problem& problem) : problem_(&problem) {}
  const std::vector<std::size_t>& members() const { return members_; }
  // Whether the predictor could be added: it is no combination of those chosen before.
  bool add(std::size_t j) {
    const std::size_t known = members_.size();
    row_.resize(known);
    for (std::size_t i = 0; i < known; ++i) row_[i] = (*problem_)(j, members_[i]);
    go_down(row_);
    double rest = (*problem_)(j, j);
    for (const double value : row_) rest -= value * value;
    if (!(rest > collinear * (*problem_)(j, j))) return false;
    for (std::size_t i = 0; i < known; ++i) columns_[i].push_back(row_[i]);
    columns_.emplace_back();
    diagonal_.push_back(std::sqrt(rest));
    members_.push_back(j);
    return true;
  }
  // Takes a predictor out; the rows of those before it stay as they are.
  void remove(std::size_t gone) {
    const auto place = std::ranges::find(members_, gone);
    const std::vector<std::size_t> later(place + 1, members_.end());
    const auto left = static_cast<std::size_t>(place - members_.begin());
    members_.resize(left);
    diagonal_.resize(left);
    columns_.resize(left);
    for (std::size_t i = 0; i < left; ++i) columns_[i].resize(left - i - 1);
    for (const std::size_t j : later) add(j);
  }
  std::vector<double> solve(std::vector<double> x) const {
    go_down(x);
    for (std::size_t i = x.size(); i-- > 0;) {
      const double* column = columns_[i].data();
      double value = x[i];
      for (std::size_t k = i + 1; k < x.size(); ++k) value -= column[k - i - 1] * x[k];
      x[i] = value / diagonal_[i];
    }
    return x;
  }

 private:
  void go_down(std::vector<double>& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] /= diagonal_[i];
      add_multiple(x.data() + i + 1, columns_[i].data(), -x[i], x.size() - i - 1);
    }
  }

  const Problem* problem_;
  std::vector<std::size_t> members_;
  std::vector<double> diagonal_;
  std::vector<std::vector<double>> columns_;
  std::vector<double> row_;
};

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

// No computed sum of squares is off by more than this.
double rounding(const Problem& problem, std::span<const double> weights) {
  double size = std::sqrt(problem.target_square);
  for (std::size_t i = 0; i < problem.size; ++i)
    if (weights[i] != 0.0) size += std::abs(weights[i]) * std::sqrt(problem(i, i));
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return 8.0 * epsilon * static_cast<double>(problem.size + 8) * size * size;
}

// The lasso for all penalties, from the one that leaves no weight down to none (Efron et al. 2004).
class Path {
 public:
  explicit Path(const Problem& problem)
      : problem_(problem),
        weights_(problem.size, 0.0),
        slopes_(problem.target),
        barred_(problem.size, false),
        chosen_(problem.size, false),
        factor_(problem) {
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
      add_multiple(change.data(), problem_.gram.data() + members[k] * problem_.size, direction[k], problem_.size);
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

// The full model: its residual variance, and what no others leave less of.
struct Full {
  double variance;
  double least_square;
};

// The weights with the best BIC, given the full model.
std::vector<double> best_by_bic(const Problem& problem, const Full& full, double rows) {
  Path path(problem);
  std::vector<double> best;
  double lowest = std::numeric_limits<double>::infinity();
  const auto judge = [&] {
    const auto free = problem.size - static_cast<std::size_t>(std::ranges::count(path.weights(), 0.0));
    const double penalty = std::log(rows) * static_cast<double>(free);
    // Most of the path has too many weights already, however well they fit.
    if ((full.least_square - rounding(problem, path.weights())) / full.variance + penalty > lowest) return;
    const double bic = residual_square(problem, path.weights()) / full.variance + penalty;
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

// The first `size` of all variables as predictors of the one that follows them.
Problem first_of(const Problem& all, std::size_t size) {
  Problem result{size, std::vector<double>(size * size), std::vector<double>(size), all(size, size)};
  for (std::size_t i = 0; i < size; ++i) {
    result.target[i] = all(i, size);
    std::copy_n(all.gram.data() + i * all.size, size, result.gram.data() + i * size);
  }
  return result;
}

// `factor` is that of the first variables.
std::vector<double> least_squares(const Problem& problem, const Factor& factor) {
  std::vector<double> right, result(problem.size, 0.0);
  for (const std::size_t i : factor.members()) right.push_back(problem.target[i]);
  const auto solution = factor.solve(right);
  for (std::size_t k = 0; k < solution.size(); ++k) result[factor.members()[k]] = solution[k];
  return result;
}

std::vector<double> adaptive_lasso(const Problem& problem, const std::vector<double>& full, std::size_t rows) {
  const std::size_t k = problem.size;
  const double square = residual_square(problem, full);
  // A target without residuals keeps a trace of variance, so that the criterion is finite.
  const double freedom = std::max(1.0, static_cast<double>(rows) - static_cast<double>(k) - 1.0);
  const double variance = std::max(square / freedom, collinear * problem.target_square / static_cast<double>(rows));
  if (!(variance > 0.0)) return std::vector<double>(k, 0.0);
  std::vector<double> sizes;
  for (const double weight : full) sizes.push_back(std::abs(weight));
  const Full model{variance, square - 2.0 * rounding(problem, full)};
  auto weights = best_by_bic(scaled(problem, sizes), model, static_cast<double>(rows));
  for (std::size_t i = 0; i < k; ++i) weights[i] *= sizes[i];
  return weights;
}

}  // namespace

std::vector<double> adaptive_lassos(std::span<const double> scatter, std::size_t p, std::span<const std::size_t> order,
                                    std::size_t rows) {
  const std::size_t n = order.size();
  Problem all{n, std::vector<double>(n * n), {}, 0.0};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) all.gram[i * n + j] = scatter[order[i] * p + order[j]];
  std::vector<double> result(p * p, 0.0);
  Factor factor(all);
  for (std::size_t k = 1; k < n; ++k) {
    pulse::progress(k, n);
    factor.add(k - 1);
    const Problem problem = first_of(all, k);
    const auto found = adaptive_lasso(problem, least_squares(problem, factor), rows);
    for (std::size_t i = 0; i < k; ++i) result[order[i] * p + order[k]] = found[i];
  }
  return result;
}

}  // namespace dagathlon
