#include "dagathlon/undirected/lasso_quadratic.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t most_sweeps = 1000;

double norm(const double* values, std::size_t size) {
  double sum = 0.0;
  for (std::size_t k = 0; k < size; ++k) sum += values[k] * values[k];
  return std::sqrt(sum);
}

// No eigenvalue of the group's second derivatives is larger.
double steepest(const std::vector<double>& curvature, std::size_t size, std::size_t first, std::size_t last) {
  double largest = 0.0;
  for (std::size_t i = first; i < last; ++i) {
    double sum = 0.0;
    for (std::size_t j = first; j < last; ++j) sum += std::abs(curvature[i * size + j]);
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

double* GroupQuadratic::add(std::size_t parameters) {
  const std::size_t first = values.size();
  groups.emplace_back(first, first + parameters);
  values.resize(first + parameters, 0.0);
  slopes.resize(first + parameters, 0.0);
  return values.data() + first;
}

double GroupQuadratic::size_of(std::size_t group) const {
  const auto [first, last] = groups[group];
  return norm(values.data() + first, last - first);
}

double GroupQuadratic::norms() const {
  double sum = 0.0;
  for (std::size_t g = 1; g < groups.size(); ++g) sum += size_of(g);
  return sum;
}

std::vector<bool> GroupQuadratic::support() const {
  std::vector<bool> result;
  for (std::size_t g = 0; g < groups.size(); ++g) result.push_back(g == 0 || size_of(g) > 0.0);
  return result;
}

double GroupQuadratic::violation(double penalty) const {
  double worst = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [first, last] = groups[g];
    const double size = size_of(g), pull = g == 0 ? 0.0 : penalty;
    if (g > 0 && size == 0.0) {
      worst = std::max(worst, norm(slopes.data() + first, last - first) - pull);
      continue;
    }
    std::vector<double> rest(slopes.begin() + static_cast<std::ptrdiff_t>(first),
                             slopes.begin() + static_cast<std::ptrdiff_t>(last));
    if (g > 0) add_multiple(rest.data(), values.data() + first, -pull / size, rest.size());
    worst = std::max(worst, norm(rest.data(), rest.size()));
  }
  return worst;
}

std::vector<double> GroupQuadratic::descend(double penalty, double tolerance) const {
  const std::size_t size = values.size();
  std::vector<double> x = values, left = slopes, bounds;
  for (const auto& [first, last] : groups) bounds.push_back(std::max(steepest(curvature, size, first, last), 1e-12));
  std::vector<double> to;
  for (std::size_t sweep = 0; sweep < most_sweeps; ++sweep) {
    pulse::beat(size * size);
    double worst = 0.0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto [first, last] = groups[g];
      to.assign(x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(last));
      add_multiple(to.data(), left.data() + first, 1.0 / bounds[g], last - first);
      const double length = norm(to.data(), to.size()), pull = g == 0 ? 0.0 : penalty / bounds[g];
      const double kept = length > pull ? 1.0 - pull / length : 0.0;
      double moved = 0.0;
      for (std::size_t k = first; k < last; ++k) {
        const double change = kept * to[k - first] - x[k];
        if (change == 0.0) continue;
        x[k] += change;
        moved += change * change;
        add_multiple(left.data(), curvature.data() + k * size, -change, size);
      }
      worst = std::max(worst, std::sqrt(moved) * bounds[g]);
    }
    if (worst <= tolerance) break;
  }
  return x;
}

std::optional<std::vector<double>> GroupQuadratic::smooth_step(double penalty) const {
  const auto kept = support();
  std::vector<std::size_t> members;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t k = groups[g].first; kept[g] && k < groups[g].second; ++k) members.push_back(k);
  const std::size_t n = members.size(), size = values.size();
  std::vector<double> matrix(n * n), step(n);
  for (std::size_t i = 0; i < n; ++i) {
    step[i] = slopes[members[i]];
    for (std::size_t j = i; j < n; ++j) matrix[i * n + j] = curvature[members[i] * size + members[j]];
  }
  std::size_t at = groups[0].second - groups[0].first;
  for (std::size_t g = 1; g < groups.size(); ++g) {
    if (!kept[g]) continue;
    const std::size_t last = at + groups[g].second - groups[g].first;
    const double length = size_of(g);
    for (std::size_t i = at; i < last; ++i) {
      const double share = values[members[i]] / length;
      step[i] -= penalty * share;
      for (std::size_t j = i; j < last; ++j)
        matrix[i * n + j] += penalty / length * ((i == j ? 1.0 : 0.0) - share * values[members[j]] / length);
    }
    at = last;
  }
  UpperFactor factor;
  if (factor.factor(std::move(matrix), n) < n) return std::nullopt;
  factor.solve(step);
  std::vector<double> goal = values;
  for (std::size_t i = 0; i < n; ++i) goal[members[i]] += step[i];
  for (std::size_t g = 1; g < groups.size(); ++g) {
    const auto [first, last] = groups[g];
    if (kept[g] && !(dot(goal.data() + first, values.data() + first, last - first) > 0.0)) return std::nullopt;
  }
  return goal;
}

}  // namespace dagathlon
