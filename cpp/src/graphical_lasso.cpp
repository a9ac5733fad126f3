#include "dagathlon/graphical_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "dagathlon/dispatch.hpp"
#include "dagathlon/positive_inverse.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

using Lane = double __attribute__((vector_size(SquareMatrix::width * sizeof(double)), aligned(alignof(double)), may_alias));

// One entry of the upper half that can move, in the quadratic model of the objective.
struct Entry {
  std::size_t column;
  double value;      // after the step, as found so far
  double gradient;   // of the smooth part, before the step
  double curvature;
  double penalty;
};

// Rows are padded with zeros to whole lanes.
[[gnu::always_inline]] inline double product(const double* a, const double* b, std::size_t stride) {
  Lane even{}, odd{};
  std::size_t k = 0;
  for (; k + 2 * SquareMatrix::width <= stride; k += 2 * SquareMatrix::width) {
    even += *reinterpret_cast<const Lane*>(a + k) * *reinterpret_cast<const Lane*>(b + k);
    odd += *reinterpret_cast<const Lane*>(a + k + SquareMatrix::width) *
           *reinterpret_cast<const Lane*>(b + k + SquareMatrix::width);
  }
  for (; k < stride; k += SquareMatrix::width)
    even += *reinterpret_cast<const Lane*>(a + k) * *reinterpret_cast<const Lane*>(b + k);
  even += odd;
  return ((even[0] + even[4]) + (even[1] + even[5])) + ((even[2] + even[6]) + (even[3] + even[7]));
}

[[gnu::always_inline]] inline void add_multiple(double* to, const double* from, double factor, std::size_t stride) {
  for (std::size_t k = 0; k < stride; k += SquareMatrix::width)
    *reinterpret_cast<Lane*>(to + k) += factor * *reinterpret_cast<const Lane*>(from + k);
}

double softened(double value, double by) { return value > by ? value - by : value < -by ? value + by : 0.0; }

struct RowTask {
  std::size_t row;
  const SquareMatrix& inverse;
  SquareMatrix& moved;    // the step by the inverse
  double* column;         // column `row` of `moved`
  bool only_nonzero;
};

// One descent over the entries of a row; the largest change of the model's gradient that it made.
DAGATHLON_WIDE_CLONES double descend_row(std::span<Entry> entries, const RowTask& task) {
  const std::size_t i = task.row, stride = task.inverse.stride();
  double largest = 0.0;
  for (Entry& entry : entries) {
    if (task.only_nonzero && entry.value == 0.0) continue;
    const std::size_t j = entry.column;
    const double* inverse_row = task.inverse.row(j);
    const double slope = entry.gradient + product(inverse_row, task.column, stride);
    const double value = softened(entry.value - slope / entry.curvature, entry.penalty / entry.curvature);
    const double change = value - entry.value;
    if (change == 0.0) continue;
    entry.value = value;
    add_multiple(task.moved.row(i), inverse_row, change, stride);
    if (i != j) add_multiple(task.moved.row(j), task.inverse.row(i), change, stride);
    task.column[i] = task.moved(i, i);
    task.column[j] = task.moved(j, i);
    largest = std::max(largest, std::abs(change) * entry.curvature);
  }
  return largest;
}

class Newton {
 public:
  Newton(LassoComponent& component, double penalty, const GraphicalLassoSettings& settings)
      : part_(component), penalty_(penalty), diagonal_penalty_(settings.penalise_diagonal ? penalty : 0.0),
        keep_zeros_(settings.keep_zeros), size_(component.covariance.size()), moved_(size_), candidate_(size_), column_(moved_.stride()),
        begins_(size_ + 1) {}

  // Collects what can move; the largest violation of the conditions of the optimum.
  double collect() {
    entries_.clear();
    double violation = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      pulse::beat(size_);
      begins_[i] = entries_.size();
      for (std::size_t j = i; j < size_; ++j) violation = std::max(violation, collect(i, j));
    }
    begins_[size_] = entries_.size();
    return violation;
  }

  // Minimises the quadratic model until its gradient moves by no more than `enough`.
  void find_direction(double enough) {
    std::ranges::fill(moved_.cells(), 0.0);
    constexpr std::size_t most_sweeps = 200;
    std::size_t sweeps = 0;
    while (sweeps < most_sweeps) {
      ++sweeps;
      if (sweep(false) <= enough) return;
      while (sweeps++ < most_sweeps)
        if (sweep(true) <= enough) break;
    }
  }

  // Goes as far in the direction found as the objective falls; false where it does not.
  bool step() {
    const double before = objective(part_.precision, part_.log_determinant), slope = model_slope();
    // What rounding hides of a decrease.
    const double hidden = 1e-13 * (std::abs(before) + static_cast<double>(size_));
    for (double length = 1.0; length > 1e-9; length /= 2) {
      set_candidate(length);
      SquareMatrix inverse = candidate_;
      const auto log_determinant = invert_positive(inverse);
      if (!log_determinant) continue;
      if (objective(candidate_, *log_determinant) > before + 1e-3 * length * std::min(slope, 0.0) + hidden) continue;
      std::swap(part_.precision, candidate_);
      part_.inverse = std::move(inverse);
      part_.log_determinant = *log_determinant;
      return true;
    }
    return false;
  }

 private:
  double collect(std::size_t i, std::size_t j) {
    const double value = part_.precision(i, j), gradient = part_.covariance(i, j) - part_.inverse(i, j);
    const double penalty = i == j ? diagonal_penalty_ : penalty_;
    if (value == 0.0 && (keep_zeros_ || std::abs(gradient) <= penalty)) return 0.0;
    const double* inverse_row = part_.inverse.row(i);
    const double cross = i == j ? 0.0 : inverse_row[j] * inverse_row[j];
    entries_.push_back({j, value, gradient, cross + inverse_row[i] * part_.inverse(j, j), penalty});
    if (value == 0.0) return std::abs(gradient) - penalty;
    return std::abs(gradient + std::copysign(penalty, value));
  }

  double sweep(bool only_nonzero) {
    double largest = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      pulse::beat(3 * (begins_[i + 1] - begins_[i]) * size_);
      for (std::size_t k = 0; k < size_; ++k) column_[k] = moved_(k, i);
      const RowTask task{i, part_.inverse, moved_, column_.data(), only_nonzero};
      largest = std::max(largest, descend_row(row(i), task));
    }
    return largest;
  }

  std::span<Entry> row(std::size_t i) { return {entries_.data() + begins_[i], begins_[i + 1] - begins_[i]}; }

  // How fast the objective falls at the start of the step, by the model.
  double model_slope() {
    double sum = 0.0;
    for (std::size_t i = 0; i < size_; ++i)
      for (const Entry& entry : row(i)) {
        const double old = part_.precision(i, entry.column);
        const double part = entry.gradient * (entry.value - old) + entry.penalty * (std::abs(entry.value) - std::abs(old));
        sum += i == entry.column ? part : 2.0 * part;
      }
    return sum;
  }

  void set_candidate(double length) {
    candidate_ = part_.precision;
    for (std::size_t i = 0; i < size_; ++i)
      for (const Entry& entry : row(i)) {
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
        if (values[j] != 0.0) half += covariances[j] * values[j] + penalty_ * std::abs(values[j]);
      sum += 2.0 * half + (covariances[i] + diagonal_penalty_) * values[i];
    }
    return sum;
  }

  LassoComponent& part_;
  double penalty_, diagonal_penalty_;
  bool keep_zeros_;
  std::size_t size_;
  SquareMatrix moved_, candidate_;
  std::vector<double> column_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> begins_;
};

}  // namespace

LassoProgress solve_component(LassoComponent& component, double penalty, const GraphicalLassoSettings& settings) {
  Newton newton(component, penalty, settings);
  LassoProgress progress;
  while (true) {
    progress.violation = newton.collect();
    if (progress.violation <= settings.tolerance || progress.steps >= settings.max_steps) return progress;
    // Newton's method converges quadratically when its directions are as good as this.
    newton.find_direction(std::max(0.1 * settings.tolerance, progress.violation * std::min(0.1, progress.violation)));
    if (!newton.step()) return progress;
    ++progress.steps;
  }
}

}  // namespace dagathlon
