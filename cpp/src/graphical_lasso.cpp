#include "dagathlon/graphical_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "dagathlon/aligned.hpp"
#include "dagathlon/dispatch.hpp"
#include "dagathlon/positive_inverse.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

// The quadratic model is kept in single precision: it is read and written over and over, the direction that comes of
// it need not be exact, and the gradient at which it begins is.
constexpr std::size_t lane = 16;
using Lane = float __attribute__((vector_size(lane * sizeof(float)), aligned(alignof(float)), may_alias));

using Half = float __attribute__((vector_size(lane / 2 * sizeof(float)), may_alias));
using Quarter = float __attribute__((vector_size(lane / 4 * sizeof(float)), may_alias));

// One entry of the upper half that can move.
struct Entry {
  std::uint32_t column;
  double value;      // after the step, as found so far
  double gradient;   // of the smooth part, before the step
  double radius;     // of curvature
};

class NarrowMatrix {
 public:
  explicit NarrowMatrix(std::size_t size) : stride_((size + lane - 1) / lane * lane), values_(size * stride_) {}
  std::size_t stride() const { return stride_; }
  float* row(std::size_t i) { return values_.data() + i * stride_; }
  const float* row(std::size_t i) const { return values_.data() + i * stride_; }
  void clear() { std::ranges::fill(values_, 0.0F); }

 private:
  std::size_t stride_;
  AlignedVector<float> values_;
};

// Rows are padded with zeros to whole lanes.
[[gnu::always_inline]] inline double product(const float* a, const float* b, std::size_t stride) {
  Lane even{}, odd{};
  std::size_t k = 0;
  for (; k + 2 * lane <= stride; k += 2 * lane) {
    even += *reinterpret_cast<const Lane*>(a + k) * *reinterpret_cast<const Lane*>(b + k);
    odd += *reinterpret_cast<const Lane*>(a + k + lane) * *reinterpret_cast<const Lane*>(b + k + lane);
  }
  if (k < stride) even += *reinterpret_cast<const Lane*>(a + k) * *reinterpret_cast<const Lane*>(b + k);
  const Lane sum = even + odd;
  const auto* halves = reinterpret_cast<const Half*>(&sum);
  const Half half = halves[0] + halves[1];
  const auto* quarters = reinterpret_cast<const Quarter*>(&half);
  const Quarter quarter = quarters[0] + quarters[1];
  return static_cast<double>((quarter[0] + quarter[2]) + (quarter[1] + quarter[3]));
}

[[gnu::always_inline]] inline void add_multiple(float* to, const float* from, float factor, std::size_t stride) {
  for (std::size_t k = 0; k < stride; k += lane)
    *reinterpret_cast<Lane*>(to + k) += factor * *reinterpret_cast<const Lane*>(from + k);
}

double softened(double value, double by) { return value > by ? value - by : value < -by ? value + by : 0.0; }

DAGATHLON_WIDE_CLONES void narrow(const double* from, double unit, const std::vector<double>& units, float* to) {
  for (std::size_t j = 0; j < units.size(); ++j) to[j] = static_cast<float>(from[j] * unit * units[j]);
}

// The model in the scale in which the diagonal of the inverse is one.
struct Model {
  explicit Model(std::size_t size)
      : scales(size), inverse(size), moved(size), columns(together * inverse.stride()) {}

  void begin(const SquareMatrix& given) {
    const std::size_t n = scales.size();
    std::vector<double> units(n);
    for (std::size_t i = 0; i < n; ++i) units[i] = 1.0 / (scales[i] = std::sqrt(given(i, i)));
    for (std::size_t i = 0; i < n; ++i) narrow(given.row(i), units[i], units, inverse.row(i));
    moved.clear();
  }

  std::vector<double> scales;
  NarrowMatrix inverse;
  // The step by the inverse.
  NarrowMatrix moved;
  // The columns of it that belong to the present rows, one after another: some together, since what they are made of is
  // far apart in memory.
  static constexpr std::size_t together = 4;
  AlignedVector<float> columns;
  std::size_t first = 0;

  float* column(std::size_t i) { return columns.data() + (i - first) * inverse.stride(); }
  void take_columns(std::size_t from) {
    first = from;
    const std::size_t n = scales.size(), taken = std::min(together, n - first);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t c = 0; c < taken; ++c) columns[c * inverse.stride() + k] = moved.row(k)[first + c];
  }
};

struct RowTask {
  std::size_t row;
  double penalty, diagonal_penalty;
  bool only_nonzero;
};

// One descent over the entries of a row; the largest change of the model's gradient that it made.
DAGATHLON_WIDE_CLONES double descend_row(std::span<Entry> entries, Model& model, const RowTask& task) {
  const std::size_t i = task.row, stride = model.inverse.stride();
  float* own = model.moved.row(i);
  float* column = model.column(i);
  const std::size_t end = std::min(model.first + Model::together, model.scales.size());
  double largest = 0.0;
  for (Entry& entry : entries) {
    if (task.only_nonzero && entry.value == 0.0) continue;
    const std::size_t j = entry.column;
    const float* inverse_row = model.inverse.row(j);
    const double scale = model.scales[i] * model.scales[j];
    const double slope = entry.gradient + scale * product(inverse_row, column, stride);
    const double penalty = i == j ? task.diagonal_penalty : task.penalty;
    const double value = softened(entry.value - slope * entry.radius, penalty * entry.radius);
    const double change = value - entry.value;
    if (change == 0.0) continue;
    entry.value = value;
    const auto scaled = static_cast<float>(change * scale);
    add_multiple(own, inverse_row, scaled, stride);
    float* other = model.moved.row(j);
    if (i != j) add_multiple(other, model.inverse.row(i), scaled, stride);
    for (std::size_t c = i; c < end; ++c) {
      model.column(c)[i] = own[c];
      model.column(c)[j] = other[c];
    }
    largest = std::max(largest, std::abs(change) / entry.radius);
  }
  return largest;
}

class Newton {
 public:
  Newton(LassoComponent& component, double penalty, const GraphicalLassoSettings& settings)
      : part_(component), penalty_(penalty), diagonal_penalty_(settings.penalise_diagonal ? penalty : 0.0),
        keep_zeros_(settings.keep_zeros), size_(component.covariance.size()), model_(size_), candidate_(size_), inverse_(size_),
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
    model_.begin(part_.inverse);
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
      const auto log_determinant = invert_(candidate_, inverse_);
      if (!log_determinant) continue;
      if (objective(candidate_, *log_determinant) > before + 1e-3 * length * std::min(slope, 0.0) + hidden) continue;
      std::swap(part_.precision, candidate_);
      std::swap(part_.inverse, inverse_);
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
    entries_.push_back(
        {static_cast<std::uint32_t>(j), value, gradient, 1.0 / (cross + inverse_row[i] * part_.inverse(j, j))});
    if (value == 0.0) return std::abs(gradient) - penalty;
    return std::abs(gradient + std::copysign(penalty, value));
  }

  double sweep(bool only_nonzero) {
    double largest = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      pulse::beat(3 * (begins_[i + 1] - begins_[i]) * size_);
      if (i % Model::together == 0) model_.take_columns(i);
      largest = std::max(largest, descend_row(row(i), model_, {i, penalty_, diagonal_penalty_, only_nonzero}));
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
        const bool diagonal = i == entry.column;
        const double penalty = diagonal ? diagonal_penalty_ : penalty_;
        const double part = entry.gradient * (entry.value - old) + penalty * (std::abs(entry.value) - std::abs(old));
        sum += diagonal ? part : 2.0 * part;
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
  Model model_;
  SquareMatrix candidate_, inverse_;
  PositiveInverse invert_;
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
    const double enough = progress.violation * std::min(0.1, 10.0 * progress.violation);
    newton.find_direction(std::max(0.3 * settings.tolerance, enough));
    if (!newton.step()) return progress;
    ++progress.steps;
  }
}

}  // namespace dagathlon
