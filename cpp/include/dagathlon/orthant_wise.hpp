// Minima of a smooth function plus λ times the sum of absolute values, by quasi-Newton steps that
// stay in one orthant each (OWL-QN; Andrew and Gao 2007).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace dagathlon {

// Value of the smooth part at a point, whose gradient is written to the second argument.
using SmoothFunction = std::function<double(std::span<const double>, std::span<double>)>;

struct OrthantWiseLimits {
  // Stop where a step gains less than this part of the value,
  double gain;
  // where no slope is above this,
  double slope;
  // or after so many steps.
  std::size_t steps;
};

// Moves `point` to a minimum near it; returns the number of steps.
std::size_t minimise_orthant_wise(const SmoothFunction& smooth, double lambda, std::span<double> point,
                                  const OrthantWiseLimits& limits);

}  // namespace dagathlon
