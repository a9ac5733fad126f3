#include "dagathlon/continuous/dagma.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/continuous/adam.hpp"
#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

DAGATHLON_WIDE_CLONES void add_penalties(double* gradient, const double* weights, const double* slopes,
                                         const DagmaStage& stage, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) {
    const double sign = (weights[k] > 0.0 ? 1.0 : 0.0) - (weights[k] < 0.0 ? 1.0 : 0.0);
    gradient[k] = stage.weight_of_loss * (gradient[k] + stage.sparsity * sign) + 2.0 * weights[k] * slopes[k];
  }
}

double least_squares(const DagmaData& data, const SquareMatrix& weights, SquareMatrix& gradient) {
  SquareMatrix errors = weights;
  for (double& cell : errors.cells()) cell = -cell;
  for (std::size_t i = 0; i < weights.size(); ++i) errors(i, i) += 1.0;
  multiply(data.moments, errors, gradient);
  double sum = 0.0;
  for (std::size_t k = 0; k < errors.cells().size(); ++k) {
    sum += errors.cells()[k] * gradient.cells()[k];
    gradient.cells()[k] = -gradient.cells()[k];
  }
  return 0.5 * sum;
}

double logistic(const DagmaData& data, const SquareMatrix& weights, SquareMatrix& gradient) {
  const std::size_t p = weights.size();
  const double share = 1.0 / static_cast<double>(data.rows);
  std::vector<double> logits(p);
  double loss = 0.0;
  std::ranges::fill(gradient.cells(), 0.0);
  for (std::size_t row = 0; row < data.rows; ++row) {
    pulse::beat(p * p);
    const double* values = data.values.data() + row * p;
    std::ranges::fill(logits, 0.0);
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; values[i] != 0.0 && j < p; ++j) logits[j] += values[i] * weights(i, j);
    for (std::size_t j = 0; j < p; ++j) {
      const double shrunk = std::exp(-std::abs(logits[j]));
      loss += std::max(logits[j], 0.0) + std::log1p(shrunk) - values[j] * logits[j];
      logits[j] = (logits[j] >= 0.0 ? 1.0 : shrunk) / (1.0 + shrunk) - values[j];
    }
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; values[i] != 0.0 && j < p; ++j) gradient(i, j) += share * values[i] * logits[j];
  }
  return loss * share;
}

std::optional<Inverse> inverse_in_domain(const SquareMatrix& weights, double scale) {
  SquareMatrix matrix = weights;
  for (double& cell : matrix.cells()) cell *= -cell;
  for (std::size_t i = 0; i < weights.size(); ++i) matrix(i, i) += scale;
  auto found = inverse(matrix);
  // The inverse of an M-matrix has no negative entry.
  if (found && !std::ranges::all_of(found->matrix.cells(), [](double cell) { return cell >= -1e-16; }))
    return std::nullopt;
  return found;
}

// Halves the last step until the weights are in the domain again; nothing when no step is left.
std::optional<Inverse> retreat(SquareMatrix& weights, std::span<const double> direction, double scale, double& rate) {
  auto found = inverse_in_domain(weights, scale);
  while (!found && rate > 1e-16) {
    rate *= 0.5;
    for (std::size_t k = 0; k < direction.size(); ++k) weights.cells()[k] += rate * direction[k];
    found = inverse_in_domain(weights, scale);
  }
  return found;
}

double objective(const DagmaData& data, const SquareMatrix& weights, const DagmaStage& stage, SquareMatrix& scratch) {
  double size = 0.0;
  for (const double cell : weights.cells()) size += std::abs(cell);
  const auto inverted = inverse_in_domain(weights, stage.log_determinant_scale);
  const double penalty = inverted ? -inverted->log_determinant : std::numeric_limits<double>::infinity();
  return stage.weight_of_loss * (dagma_loss(data, weights, scratch) + stage.sparsity * size) + penalty +
         static_cast<double>(weights.size()) * std::log(stage.log_determinant_scale);
}

}  // namespace

double dagma_loss(const DagmaData& data, const SquareMatrix& weights, SquareMatrix& gradient) {
  return data.rows == 0 ? least_squares(data, weights, gradient) : logistic(data, weights, gradient);
}

std::optional<SquareMatrix> dagma_by_adam(const DagmaData& data, SquareMatrix start, const DagmaStage& stage,
                                          const DagmaAdam& settings, std::size_t most_steps) {
  const std::size_t p = start.size();
  Adam adam(start.cells().size(), settings.beta1, settings.beta2);
  SquareMatrix gradient(p);
  std::vector<double> direction;
  double rate = settings.learning_rate, previous = 1e16;
  for (std::size_t step = 1; step <= most_steps; ++step) {
    pulse::progress(step, most_steps);
    auto inverted = inverse_in_domain(start, stage.log_determinant_scale);
    if (!inverted && (step == 1 || stage.log_determinant_scale <= 0.9)) return std::nullopt;
    if (!inverted) inverted = retreat(start, direction, stage.log_determinant_scale, rate);
    if (!inverted) return start;
    dagma_loss(data, start, gradient);
    const SquareMatrix slopes = transposed(inverted->matrix);
    for (std::size_t i = 0; i < p; ++i) {
      add_penalties(gradient.row(i), start.row(i), slopes.row(i), stage, p);
      gradient(i, i) = 0.0;
    }
    direction = adam.direction(gradient.cells());
    for (std::size_t k = 0; k < direction.size(); ++k) start.cells()[k] -= rate * direction[k];
    if (step % settings.checkpoint != 0) continue;
    const double value = objective(data, start, stage, gradient);
    if (std::abs((previous - value) / previous) <= 1e-6) break;
    previous = value;
  }
  return start;
}

}  // namespace dagathlon
