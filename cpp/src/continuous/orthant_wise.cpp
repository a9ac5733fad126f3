#include "dagathlon/continuous/orthant_wise.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <vector>

#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

namespace {

using Vector = std::vector<double>;

constexpr std::size_t memory = 10;
constexpr double sufficient = 1e-4;
constexpr int most_halvings = 30;

// Sums of every eighth product, so that they fit a register however wide it is.
DAGATHLON_WIDE_CLONES double dot(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t width = 8;
  double sums[width] = {};
  const std::size_t whole = a.size() / width * width;
  for (std::size_t k = 0; k < whole; k += width)
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += a[k + lane] * b[k + lane];
  for (std::size_t k = whole; k < a.size(); ++k) sums[k - whole] += a[k] * b[k];
  return std::accumulate(sums, sums + width, 0.0);
}

DAGATHLON_WIDE_CLONES void add_multiple(std::span<double> to, double factor, std::span<const double> from) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * from[k];
}

DAGATHLON_WIDE_CLONES void multiply_by(std::span<double> values, std::span<const double> factors) {
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= factors[k];
}

double sign(double value) { return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0; }

Vector difference(const Vector& a, const Vector& b) {
  Vector result = a;
  add_multiple(result, -1.0, b);
  return result;
}

struct SecantPair {
  Vector move, bend;
  double product;
};

struct Place {
  Vector point, gradient;
  double value;
};

Place evaluate(const SmoothFunction& smooth, double lambda, Vector point) {
  Place result{std::move(point), {}, 0.0};
  result.gradient.resize(result.point.size());
  result.value = smooth(result.point, result.gradient);
  for (const double x : result.point) result.value += lambda * std::abs(x);
  return result;
}

// The slope of the whole function, at zero that of the side where it falls.
Vector steepest(const Place& at, double lambda) {
  Vector result(at.point.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double x = at.point[k], slope = at.gradient[k];
    result[k] = x != 0.0 ? slope + lambda * sign(x) : sign(slope) * std::max(std::abs(slope) - lambda, 0.0);
  }
  return result;
}

// What the memory of steps begins with: the last step's share of move in bend, for each number by its scale.
void scale(Vector& result, const std::deque<SecantPair>& steps, const Vector& scales) {
  if (!scales.empty()) multiply_by(result, scales);
  if (steps.empty()) return;
  Vector bend = steps.back().bend;
  if (!scales.empty()) multiply_by(bend, scales);
  const double share = steps.back().product / dot(bend, steps.back().bend);
  for (double& x : result) x *= share;
}

// The quasi-Newton direction from the last steps (Nocedal 1980), without parts that do not fall.
Vector direction(const std::deque<SecantPair>& steps, const Vector& slopes, const Vector& scales) {
  Vector result = slopes, shares;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    shares.push_back(dot(step->move, result) / step->product);
    add_multiple(result, -shares.back(), step->bend);
  }
  scale(result, steps, scales);
  for (const SecantPair& step : steps) {
    add_multiple(result, shares.back() - dot(step.bend, result) / step.product, step.move);
    shares.pop_back();
  }
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = result[k] * slopes[k] > 0.0 ? -result[k] : 0.0;
  return result;
}

// A point along the direction; what would leave the orthant stays at its border.
Vector within_orthant(const Place& from, const Vector& slopes, const Vector& towards, double share) {
  Vector result(from.point.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const double side = from.point[k] != 0.0 ? sign(from.point[k]) : -sign(slopes[k]);
    const double x = from.point[k] + share * towards[k];
    result[k] = x * side > 0.0 ? x : 0.0;
  }
  return result;
}

bool falls_enough(const Place& from, const Place& to, const Vector& slopes) {
  return to.value <= from.value + sufficient * dot(slopes, difference(to.point, from.point));
}

void remember(std::deque<SecantPair>& steps, const Place& from, const Place& to) {
  SecantPair step{difference(to.point, from.point), difference(to.gradient, from.gradient), 0.0};
  step.product = dot(step.move, step.bend);
  if (!(step.product > std::numeric_limits<double>::epsilon() * dot(step.bend, step.bend))) return;
  steps.push_back(std::move(step));
  if (steps.size() > memory) steps.pop_front();
}

double largest(const Vector& values, std::span<const double> units) {
  double result = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k)
    result = std::max(result, std::abs(values[k]) / (units.empty() ? 1.0 : units[k]));
  return result;
}

}  // namespace

std::size_t minimise_orthant_wise(const SmoothFunction& smooth, double lambda, std::span<double> point,
                                  const OrthantWiseLimits& limits, const Scales& scales) {
  Place at = evaluate(smooth, lambda, Vector(point.begin(), point.end()));
  std::deque<SecantPair> steps;
  Vector scales_here(scales ? point.size() : 0);
  std::size_t taken = 0;
  for (bool gains = true; gains && taken < limits.steps; ++taken) {
    const Vector slopes = steepest(at, lambda);
    if (largest(slopes, limits.units) <= limits.slope) break;
    // The last point that was evaluated is this one.
    if (scales) scales(scales_here);
    const Vector towards = direction(steps, slopes, scales_here);
    double share = steps.empty() && !scales ? std::min(1.0, 1.0 / std::sqrt(dot(slopes, slopes))) : 1.0;
    Place next = evaluate(smooth, lambda, within_orthant(at, slopes, towards, share));
    for (int halving = 0; halving < most_halvings && !falls_enough(at, next, slopes); ++halving) {
      share *= 0.5;
      next = evaluate(smooth, lambda, within_orthant(at, slopes, towards, share));
    }
    if (!falls_enough(at, next, slopes)) break;
    gains = at.value - next.value > limits.gain * std::max({std::abs(at.value), std::abs(next.value), 1.0});
    remember(steps, at, next);
    at = std::move(next);
  }
  std::copy(at.point.begin(), at.point.end(), point.begin());
  return taken;
}

}  // namespace dagathlon
