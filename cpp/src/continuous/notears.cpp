#include "dagathlon/continuous/notears.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/continuous/orthant_wise.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Changes of weights that no longer count, for a point of the path and for one of its lassos, and the
// relative error of a multiplier.
constexpr double weight_tolerance = 2e-4;
constexpr double lasso_tolerance = 3e-5;
constexpr double multiplier_tolerance = 5e-2;
constexpr std::size_t most_steps = 200;
constexpr std::size_t most_sweeps = 50;
constexpr int most_guesses = 20;
// Ten times as precise ones gave the same graphs.
constexpr OrthantWiseLimits search_limits{2e-7, 1e-5, 1000};

DAGATHLON_WIDE_CLONES void subtract_multiple(double* from, const double* row, double factor, std::size_t size) {
  for (std::size_t k = 0; k < size; ++k) from[k] -= factor * row[k];
}

double soft(double value, double threshold) {
  if (value > threshold) return value - threshold;
  return value < -threshold ? value + threshold : 0.0;
}

double largest(const SquareMatrix& a) {
  double result = 0.0;
  for (const double cell : a.cells()) result = std::max(result, std::abs(cell));
  return result;
}

double largest_difference(const SquareMatrix& a, const SquareMatrix& b) {
  double result = 0.0;
  for (std::size_t k = 0; k < a.cells().size(); ++k) result = std::max(result, std::abs(a.cells()[k] - b.cells()[k]));
  return result;
}

SquareMatrix between(const SquareMatrix& from, const SquareMatrix& to, double share) {
  SquareMatrix result = from;
  for (std::size_t k = 0; k < from.cells().size(); ++k)
    result.cells()[k] = share == 1.0 ? to.cells()[k] : from.cells()[k] + share * (to.cells()[k] - from.cells()[k]);
  return result;
}

// Solves μ = α + ρ·h·(μ₀/μ)^k for μ between μ₀ and α + ρh.
double guessed_multiplier(double alpha, double rho, double h, double at, double exponent) {
  double low = std::min(at, alpha + rho * h), high = std::max(at, alpha + rho * h);
  for (int step = 0; step < 100 && high - low > 1e-6 * high; ++step) {
    const double middle = 0.5 * (low + high);
    const double wanted = alpha + rho * h * std::pow(at / middle, exponent);
    (wanted > middle ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

LeastSquaresNotears::LeastSquaresNotears(std::span<const double> moments, std::size_t size, double lambda)
    : moments_(moments, size), lambda_(lambda) {}

double LeastSquaresNotears::loss(const SquareMatrix& weights) const {
  const std::size_t p = weights.size();
  SquareMatrix errors = weights, products(p);
  double size = 0.0, sum = 0.0;
  for (double& cell : errors.cells()) {
    size += std::abs(cell);
    cell = -cell;
  }
  for (std::size_t i = 0; i < p; ++i) errors(i, i) += 1.0;
  multiply(moments_, errors, products);
  for (std::size_t k = 0; k < errors.cells().size(); ++k) sum += errors.cells()[k] * products.cells()[k];
  return 0.5 * sum + lambda_ * size;
}

void LeastSquaresNotears::lasso(std::size_t column, const SquareMatrix& slope, double multiplier,
                                std::span<double> weights) const {
  const std::size_t p = moments_.size();
  std::vector<double> rest(moments_.row(column), moments_.row(column) + p);
  for (std::size_t i = 0; i < p; ++i)
    if (weights[i] != 0.0) subtract_multiple(rest.data(), moments_.row(i), weights[i], p);
  std::vector<std::size_t> all, active;
  for (std::size_t i = 0; i < p; ++i)
    if (i != column && moments_(i, i) > 0.0) all.push_back(i);
  const auto sweep = [&](std::span<const std::size_t> nodes) {
    double most = 0.0;
    pulse::beat(nodes.size() * p);
    for (const std::size_t i : nodes) {
      const double square = moments_(i, i);
      const double shrunk = soft(rest[i] + square * weights[i], lambda_);
      if (shrunk == 0.0 && weights[i] == 0.0) continue;
      const double to = shrunk / (square + 2.0 * multiplier * slope(i, column));
      const double change = to - weights[i];
      if (change == 0.0) continue;
      subtract_multiple(rest.data(), moments_.row(i), change, p);
      weights[i] = to;
      most = std::max(most, std::abs(change));
    }
    return most;
  };
  for (std::size_t round = 0; round < most_sweeps && sweep(all) > lasso_tolerance; ++round) {
    active.clear();
    for (const std::size_t i : all)
      if (weights[i] != 0.0) active.push_back(i);
    for (std::size_t step = 0; step < most_sweeps && sweep(active) > lasso_tolerance; ++step) continue;
  }
}

SquareMatrix LeastSquaresNotears::lassos(const SquareMatrix& weights, const SquareMatrix& slope,
                                         double multiplier) const {
  const std::size_t p = weights.size();
  SquareMatrix result(p);
  std::vector<double> column(p);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t i = 0; i < p; ++i) column[i] = weights(i, j);
    lasso(j, slope, multiplier, column);
    for (std::size_t i = 0; i < p; ++i) result(i, j) = column[i];
  }
  return result;
}

NotearsPoint LeastSquaresNotears::follow(SquareMatrix weights, double multiplier) const {
  Acyclicity cycles = polynomial_acyclicity(weights);
  double value = loss(weights) + multiplier * cycles.value;
  std::size_t steps = 0;
  while (steps < most_steps) {
    ++steps;
    const SquareMatrix wanted = lassos(weights, cycles.slope, multiplier);
    const double change = largest_difference(weights, wanted);
    if (change <= weight_tolerance * std::max(1.0, largest(wanted))) break;
    bool better = false;
    for (double share = 1.0; share > 1e-6 && !better; share *= 0.5) {
      SquareMatrix next = between(weights, wanted, share);
      Acyclicity next_cycles = polynomial_acyclicity(next);
      const double next_value = loss(next) + multiplier * next_cycles.value;
      better = next_value < value;
      if (!better) continue;
      weights = std::move(next);
      cycles = std::move(next_cycles);
      value = next_value;
    }
    if (!better) break;
  }
  return {std::move(weights), cycles.value, multiplier, steps};
}

NotearsPoint LeastSquaresNotears::search(SquareMatrix start, double rho, double alpha) const {
  const std::size_t p = start.size();
  SquareMatrix weights(p), products(p);
  const auto smooth = [&](std::span<const double> point, std::span<double> gradient) {
    std::copy(point.begin(), point.end(), weights.cells().begin());
    const Acyclicity cycles = polynomial_acyclicity(weights);
    const double factor = 2.0 * (alpha + rho * cycles.value);
    // C(W - I): its negative is what the residuals have in common with each column.
    multiply(moments_, weights, products);
    double fit = 0.0;
    for (std::size_t i = 0; i < p; ++i) {
      for (std::size_t j = 0; j < p; ++j) {
        const double slope = products(i, j) - moments_(i, j);
        fit += slope * (weights(i, j) - (i == j));
        gradient[i * weights.stride() + j] = i == j ? 0.0 : slope + factor * cycles.slope(i, j) * weights(i, j);
      }
    }
    return 0.5 * fit + alpha * cycles.value + 0.5 * rho * cycles.value * cycles.value;
  };
  const std::size_t steps = minimise_orthant_wise(smooth, lambda_, start.cells(), search_limits);
  const double h = polynomial_acyclicity(start).value;
  return {std::move(start), h, alpha + rho * h, steps};
}

NotearsPoint LeastSquaresNotears::minimise(const NotearsPoint& start, double rho, double alpha) const {
  NotearsPoint point = start.multiplier > 0.0 ? start : follow(start.weights, 0.0);
  double at = std::max({point.multiplier, alpha, 1e-3 * rho * point.acyclicity});
  double exponent = 1.0;
  for (int round = 0; round < most_guesses && point.acyclicity > 0.0; ++round) {
    const double target = guessed_multiplier(alpha, rho, point.acyclicity, at, exponent);
    NotearsPoint next = follow(point.weights, target);
    const double seen = std::log(point.acyclicity / next.acyclicity) / std::log(target / at);
    if (std::isfinite(seen)) exponent = std::clamp(seen, 0.2, 5.0);
    next.steps += point.steps;
    point = std::move(next);
    at = target;
    if (std::abs(alpha + rho * point.acyclicity - target) <= multiplier_tolerance * target) break;
  }
  return point;
}

}  // namespace dagathlon
