#include "dagathlon/undirected/lasso_subspace.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Iterations of one solution; more are left to the next sweeps, from where it ended.
constexpr std::size_t most_iterations = 100;

}  // namespace

void LassoSubspace::take(LassoEntries& entries, const SquareMatrix& precision, const LassoPenalties& penalties) {
  entries_.clear();
  pattern_.rows.clear();
  pattern_.columns.clear();
  values_.clear();
  pulls_.clear();
  shape_.clear();
  held_.clear();
  change_.clear();
  for (std::size_t i = 0; i < size_; ++i)
    for (LassoEntry& entry : entries.row(i)) {
      const double old = precision(i, entry.column);
      // What returned to zero takes part with the step that it made, and stays there.
      if (entry.value == 0.0 && old == 0.0) continue;
      entries_.push_back(&entry);
      pattern_.rows.push_back(static_cast<std::uint32_t>(i));
      pattern_.columns.push_back(entry.column);
      values_.push_back(entry.value);
      shape_.push_back(old);
      held_.push_back(entry.value == 0.0);
      pulls_.push_back(i == entry.column ? penalties.diagonal : std::copysign(penalties.other, entry.value));
      change_.push_back(entry.value - old);
    }
  pattern_.index(size_);
}

void LassoSubspace::precondition(std::span<const double> values, std::span<double> out) {
  for (std::size_t i = 0, k = 0; i < size_; ++i) {
    std::fill(row_.begin(), row_.end(), 0.0);
    for (std::size_t t = pattern_.begins[i]; t < pattern_.begins[i + 1]; ++t) {
      const double factor = shape_[pattern_.which[t]];
      const std::size_t j = pattern_.places[t];
      for (std::size_t u = pattern_.begins[j]; u < pattern_.begins[j + 1]; ++u)
        row_[pattern_.places[u]] += factor * values[pattern_.which[u]];
    }
    pulse::beat(size_);
    for (; k < entries_.size() && pattern_.rows[k] == i; ++k) {
      const std::size_t j = pattern_.columns[k];
      double sum = 0.0;
      for (std::size_t t = pattern_.begins[j]; t < pattern_.begins[j + 1]; ++t)
        sum += row_[pattern_.places[t]] * shape_[pattern_.which[t]];
      out[k] = held_[k] ? 0.0 : sum;
    }
  }
}

// Entries off the diagonal stand for two.
double LassoSubspace::inner(std::span<const double> a, std::span<const double> b) const {
  double sum = 0.0, diagonal = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (pattern_.rows[k] == pattern_.columns[k]) diagonal += a[k] * b[k];
    else sum += a[k] * b[k];
  }
  return 2.0 * sum + diagonal;
}

// The change of values that solves the system for the residual, into change_.
void LassoSubspace::conjugate_gradients(LassoModel& model, double enough) {
  std::ranges::fill(change_, 0.0);
  precondition(residual_, shaped_);
  direction_ = shaped_;
  double size = inner(residual_, shaped_);
  for (std::size_t iteration = 0; iteration < most_iterations; ++iteration) {
    if (!(size > 0.0)) return;
    model.curve(pattern_, direction_, curved_);
    const double length = size / inner(direction_, curved_);
    double largest = 0.0;
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      if (held_[k]) continue;
      change_[k] += length * direction_[k];
      residual_[k] -= length * curved_[k];
      largest = std::max(largest, std::abs(residual_[k]));
    }
    if (largest <= enough) return;
    precondition(residual_, shaped_);
    const double next = inner(residual_, shaped_);
    const double share = next / size;
    size = next;
    for (std::size_t k = 0; k < entries_.size(); ++k) direction_[k] = shaped_[k] + share * direction_[k];
  }
}

bool LassoSubspace::improve(LassoModel& model, LassoEntries& entries, const SquareMatrix& precision,
                            const LassoPenalties& penalties, double enough) {
  take(entries, precision, penalties);
  const std::size_t n = entries_.size();
  residual_.resize(n);
  direction_.resize(n);
  curved_.resize(n);
  shaped_.resize(n);
  model.curve(pattern_, change_, curved_);
  for (std::size_t k = 0; k < n; ++k) residual_[k] = held_[k] ? 0.0 : -(entries_[k]->gradient + pulls_[k] + curved_[k]);
  const std::vector<double> slopes = residual_;
  conjugate_gradients(model, enough);
  // What passes zero stops there. The model must fall all the same; half the way it falls more surely.
  for (double length = 1.0; length > 0.01; length /= 2) {
    for (std::size_t k = 0; k < n; ++k) {
      const double value = values_[k] + length * change_[k];
      const bool stops = pattern_.rows[k] != pattern_.columns[k] && value * values_[k] <= 0.0;
      direction_[k] = (stops ? 0.0 : value) - values_[k];
    }
    model.curve(pattern_, direction_, curved_);
    if (inner(slopes, direction_) > 0.5 * inner(direction_, curved_)) {
      for (std::size_t k = 0; k < n; ++k) entries_[k]->value = values_[k] + direction_[k];
      return true;
    }
  }
  return false;
}

}  // namespace dagathlon
