// Minima of a smooth function plus λ times the sum of absolute values, by quasi-Newton steps that
// stay in one orthant each (OWL-QN; Andrew and Gao 2007).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace dagathlon {

// Value of the smooth part at a point, whose gradient is written to the second argument; infinity where the point is
// outside its domain, so that a shorter step is tried.
using SmoothFunction = std::function<double(std::span<const double>, std::span<double>)>;

// How far a slope of one goes in each direction, roughly: positive numbers such as 1 / the second derivative, at the
// point where the smooth part was evaluated last. Where these differ by orders of magnitude, far fewer steps are needed.
using Scales = std::function<void(std::span<double>)>;

struct OrthantWiseLimits {
  // Stop where a step gains less than this part of the value,
  double gain;
  // where no slope is above this,
  double slope;
  // or after so many steps.
  std::size_t steps;
  // What a slope of each number is measured in; all by one where empty.
  std::span<const double> units = {};
};

// Moves `point` to a minimum near it, without scales by steps of one scale for all; returns the number of steps.
std::size_t minimise_orthant_wise(const SmoothFunction& smooth, double lambda, std::span<double> point,
                                  const OrthantWiseLimits& limits, const Scales& scales = {});

}  // namespace dagathlon
