#include <cmath>

#include "dagathlon/continuous/acyclicity.hpp"
#include "dagathlon/continuous/adam.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

double sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

SquareMatrix identity_less(const SquareMatrix& weights) {
  SquareMatrix result = weights;
  for (double& cell : result.cells()) cell = -cell;
  for (std::size_t i = 0; i < weights.size(); ++i) result(i, i) += 1.0;
  return result;
}

// Half the log of residual variances, pooled or of each column, and its derivative.
double log_residuals(const SquareMatrix& moments, const SquareMatrix& errors, bool pooled, SquareMatrix& gradient) {
  const std::size_t p = errors.size();
  SquareMatrix products(p);
  multiply(moments, errors, products);
  std::vector<double> variances(p, 0.0);
  double total = 0.0, value = 0.0;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) variances[j] += errors(i, j) * products(i, j);
  for (const double variance : variances) total += variance;
  for (std::size_t j = 0; j < p; ++j) {
    const double variance = pooled ? total / static_cast<double>(p) : variances[j];
    value += 0.5 * std::log(variance);
    for (std::size_t i = 0; i < p; ++i) gradient(i, j) = -products(i, j) / variance;
  }
  return value;
}

}  // namespace

std::optional<double> golem_objective(const SquareMatrix& moments, const SquareMatrix& weights,
                                      const GolemSettings& settings, SquareMatrix& gradient) {
  const std::size_t p = weights.size();
  const SquareMatrix errors = identity_less(weights);
  const auto inverted = inverse(errors);
  if (!inverted) return std::nullopt;
  const Acyclicity cycles = exponential_acyclicity(weights);
  double value = log_residuals(moments, errors, settings.equal_variances, gradient) - inverted->log_determinant +
                 settings.acyclicity * cycles.value;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) {
      const double weight = weights(i, j);
      value += settings.sparsity * std::abs(weight);
      gradient(i, j) += inverted->matrix(j, i) + settings.sparsity * sign(weight) +
                        2.0 * settings.acyclicity * weight * cycles.slope(i, j);
      if (i == j) gradient(i, j) = 0.0;
    }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<SquareMatrix> golem(const SquareMatrix& moments, SquareMatrix start, const GolemSettings& settings) {
  Adam adam(start.cells().size(), 0.9, 0.999);
  SquareMatrix gradient(start.size());
  for (std::size_t step = 0; step < settings.steps; ++step) {
    pulse::progress(step, settings.steps);
    if (!golem_objective(moments, start, settings, gradient)) return std::nullopt;
    const auto& direction = adam.direction(gradient.cells());
    for (std::size_t k = 0; k < direction.size(); ++k) start.cells()[k] -= settings.learning_rate * direction[k];
  }
  return start;
}

}  // namespace dagathlon
