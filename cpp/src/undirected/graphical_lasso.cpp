#include "dagathlon/undirected/graphical_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/undirected/graphical_lasso_model.hpp"
#include "dagathlon/undirected/lasso_subspace.hpp"
#include "dagathlon/linalg/positive_inverse.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

class Newton {
 public:
  Newton(LassoComponent& component, double penalty, const GraphicalLassoSettings& settings)
      : part_(component),
        penalties_{penalty, settings.penalise_diagonal ? penalty : 0.0},
        keep_zeros_(settings.keep_zeros),
        size_(component.covariance.size()),
        model_(size_),
        subspace_(size_),
        candidate_(size_),
        inverse_(size_),
        entries_{{}, std::vector<std::size_t>(size_ + 1)} {}

  // Begins at another matrix where the objective is lower there.
  void begin_at(SquareMatrix& guess) {
    std::swap(candidate_, guess);
    const double before = objective(part_.precision, part_.log_determinant);
    const auto log_determinant = invert_(candidate_, inverse_);
    if (log_determinant && objective(candidate_, *log_determinant) < before) accept(*log_determinant);
  }

  // Collects what can move; the largest violation of the conditions of the optimum.
  double collect() {
    entries_.all.clear();
    double violation = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      pulse::beat(size_);
      entries_.begins[i] = entries_.all.size();
      violation = std::max(violation, collect_row(i));
    }
    entries_.begins[size_] = entries_.all.size();
    return violation;
  }

  // Minimises the quadratic model until its gradient moves by no more than `enough`.
  void find_direction(double enough) {
    model_.begin(part_.inverse, entries_);
    constexpr std::size_t most_rounds = 30, quick_sweeps = 5;
    for (std::size_t round = 0; round < most_rounds; ++round) {
      if (model_.sweep(entries_, penalties_, false) <= enough) return;
      bool converged = false;
      for (std::size_t sweep = 0; sweep < quick_sweeps && !converged; ++sweep)
        converged = model_.sweep(entries_, penalties_, true) <= enough;
      if (converged) continue;
      if (!subspace_.improve(model_, entries_, part_.precision, penalties_, enough)) continue;
      model_.set_step(entries_, part_.precision);
    }
  }

  // Goes as far in the direction found as the objective falls; false where it does not.
  bool step() {
    const double before = objective(part_.precision, part_.log_determinant), slope = model_slope();
    // What rounding hides of a decrease.
    const double hidden = 1e-13 * (std::abs(before) + static_cast<double>(size_));
    for (double length = 1.0; length > 1e-9; length /= 2) {
      set_candidate(length);
      const auto log_determinant = invert_(candidate_, inverse_);
      if (!log_determinant) continue;
      if (objective(candidate_, *log_determinant) > before + 1e-3 * length * std::min(slope, 0.0) + hidden) continue;
      accept(*log_determinant);
      return true;
    }
    return false;
  }

 private:
  void accept(double log_determinant) {
    std::swap(part_.precision, candidate_);
    std::swap(part_.inverse, inverse_);
    part_.log_determinant = log_determinant;
  }

  double collect_row(std::size_t i) {
    const double* values = part_.precision.row(i);
    const double* covariances = part_.covariance.row(i);
    const double* inverses = part_.inverse.row(i);
    const double still = keep_zeros_ ? std::numeric_limits<double>::infinity() : penalties_.other;
    double violation = 0.0;
    for (std::size_t j = i; j < size_; ++j) {
      const double gradient = covariances[j] - inverses[j];
      if (values[j] == 0.0 && std::abs(gradient) <= still) continue;
      violation = std::max(violation, collect(i, j, gradient));
    }
    return violation;
  }

  double collect(std::size_t i, std::size_t j, double gradient) {
    const double value = part_.precision(i, j), pull = penalty(i, j);
    const double* inverse_row = part_.inverse.row(i);
    const double cross = i == j ? 0.0 : inverse_row[j] * inverse_row[j];
    const double radius = 1.0 / (cross + inverse_row[i] * part_.inverse(j, j));
    entries_.all.push_back({static_cast<std::uint32_t>(j), 0, value, gradient, radius});
    if (value == 0.0) return std::abs(gradient) - pull;
    return std::abs(gradient + std::copysign(pull, value));
  }

  double penalty(std::size_t i, std::size_t j) const { return i == j ? penalties_.diagonal : penalties_.other; }

  // How fast the objective falls at the start of the step, by the model.
  double model_slope() {
    double sum = 0.0;
    for (std::size_t i = 0; i < size_; ++i)
      for (const LassoEntry& entry : entries_.row(i)) {
        const double old = part_.precision(i, entry.column);
        const double pull = penalty(i, entry.column) * (std::abs(entry.value) - std::abs(old));
        const double part = entry.gradient * (entry.value - old) + pull;
        sum += i == entry.column ? part : 2.0 * part;
      }
    return sum;
  }

  void set_candidate(double length) {
    candidate_ = part_.precision;
    for (std::size_t i = 0; i < size_; ++i)
      for (const LassoEntry& entry : entries_.row(i)) {
        const double old = part_.precision(i, entry.column);
        const double value = length == 1.0 ? entry.value : old + length * (entry.value - old);
        candidate_(i, entry.column) = candidate_(entry.column, i) = value;
      }
  }

  double objective(const SquareMatrix& precision, double log_determinant) const {
    double sum = -log_determinant;
    for (std::size_t i = 0; i < size_; ++i) {
      const double* values = precision.row(i);
      const double* covariances = part_.covariance.row(i);
      double half = 0.0;
      for (std::size_t j = 0; j < i; ++j)
        if (values[j] != 0.0) half += covariances[j] * values[j] + penalties_.other * std::abs(values[j]);
      sum += 2.0 * half + (covariances[i] + penalties_.diagonal) * values[i];
    }
    return sum;
  }

  LassoComponent& part_;
  LassoPenalties penalties_;
  bool keep_zeros_;
  std::size_t size_;
  LassoModel model_;
  LassoSubspace subspace_;
  SquareMatrix candidate_, inverse_;
  PositiveInverse invert_;
  LassoEntries entries_;
};

}  // namespace

LassoProgress solve_component(LassoComponent& component, double penalty, const GraphicalLassoSettings& settings) {
  Newton newton(component, penalty, settings);
  if (component.guess) newton.begin_at(*component.guess);
  LassoProgress progress;
  while (true) {
    progress.violation = newton.collect();
    if (progress.violation <= settings.tolerance || progress.steps >= settings.max_steps) return progress;
    // Newton's method converges quadratically when its directions are as good as this.
    // First it finds where to go.
    const double share = progress.steps == 0 ? 0.3 : std::min(0.1, 10.0 * progress.violation);
    const double enough = progress.violation * share;
    newton.find_direction(std::max(0.3 * settings.tolerance, enough));
    if (!newton.step()) return progress;
    ++progress.steps;
  }
}

}  // namespace dagathlon
