#include "dagathlon/undirected/lasso_subspace.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/run/pulse.hpp"
#include "dagathlon/undirected/lasso_algebra.hpp"

namespace dagathlon {

namespace {

// Iterations of one solution; more are left to the next sweeps, from where it ended.
constexpr std::size_t most_iterations = 100;
constexpr std::size_t tile = 8;

void transpose(const std::vector<double>& from, std::vector<double>& to, std::size_t size) {
  for (std::size_t first = 0; first < size; first += tile)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = first; j < std::min(first + tile, size); ++j) to[j * size + i] = from[i * size + j];
}

}  // namespace

void LassoSubspace::take(LassoEntries& entries, const SquareMatrix& precision, const LassoPenalties& penalties) {
  entries_.clear();
  rows_.clear();
  columns_.clear();
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
      rows_.push_back(static_cast<std::uint32_t>(i));
      columns_.push_back(entry.column);
      values_.push_back(entry.value);
      shape_.push_back(old);
      held_.push_back(entry.value == 0.0);
      pulls_.push_back(i == entry.column ? penalties.diagonal : std::copysign(penalties.other, entry.value));
      change_.push_back(entry.value - old);
    }
  begins_.assign(size_ + 1, 0);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    ++begins_[rows_[k] + 1];
    if (rows_[k] != columns_[k]) ++begins_[columns_[k] + 1];
  }
  for (std::size_t i = 0; i < size_; ++i) begins_[i + 1] += begins_[i];
  places_.resize(begins_[size_]);
  which_.resize(begins_[size_]);
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  const auto put = [&](std::size_t row, std::size_t column, std::size_t entry) {
    places_[next[row]] = static_cast<std::uint32_t>(column);
    which_[next[row]++] = static_cast<std::uint32_t>(entry);
  };
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    put(rows_[k], columns_[k], k);
    if (rows_[k] != columns_[k]) put(columns_[k], rows_[k], k);
  }
}

void LassoSubspace::curve(const SquareMatrix& inverse, std::span<const double> values, std::span<double> out) {
  for (std::size_t i = 0; i < size_; ++i) {
    pulse::beat((begins_[i + 1] - begins_[i]) * size_);
    double* row = product_.data() + i * size_;
    std::fill_n(row, size_, 0.0);
    for (std::size_t t = begins_[i]; t < begins_[i + 1]; ++t)
      add_multiple(row, inverse.row(places_[t]), values[which_[t]], size_);
  }
  transpose(product_, turned_, size_);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    pulse::beat(size_);
    out[k] = dot(inverse.row(rows_[k]), turned_.data() + columns_[k] * size_, size_);
  }
}

void LassoSubspace::precondition(std::span<const double> values, std::span<double> out) {
  for (std::size_t i = 0, k = 0; i < size_; ++i) {
    std::fill(row_.begin(), row_.end(), 0.0);
    for (std::size_t t = begins_[i]; t < begins_[i + 1]; ++t) {
      const double factor = shape_[which_[t]];
      const std::size_t j = places_[t];
      for (std::size_t u = begins_[j]; u < begins_[j + 1]; ++u) row_[places_[u]] += factor * values[which_[u]];
    }
    pulse::beat(size_);
    for (; k < entries_.size() && rows_[k] == i; ++k) {
      const std::size_t j = columns_[k];
      double sum = 0.0;
      for (std::size_t t = begins_[j]; t < begins_[j + 1]; ++t) sum += row_[places_[t]] * shape_[which_[t]];
      out[k] = held_[k] ? 0.0 : sum;
    }
  }
}

// Entries off the diagonal stand for two.
double LassoSubspace::inner(std::span<const double> a, std::span<const double> b) const {
  double sum = 0.0, diagonal = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (rows_[k] == columns_[k]) diagonal += a[k] * b[k];
    else sum += a[k] * b[k];
  }
  return 2.0 * sum + diagonal;
}

// The change of values that solves the system for the residual, into change_.
void LassoSubspace::conjugate_gradients(const SquareMatrix& inverse, double enough) {
  std::ranges::fill(change_, 0.0);
  precondition(residual_, shaped_);
  direction_ = shaped_;
  double size = inner(residual_, shaped_);
  for (std::size_t iteration = 0; iteration < most_iterations; ++iteration) {
    if (!(size > 0.0)) return;
    curve(inverse, direction_, curved_);
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

bool LassoSubspace::improve(LassoEntries& entries, const SquareMatrix& precision, const SquareMatrix& inverse,
                            const LassoPenalties& penalties, double enough) {
  take(entries, precision, penalties);
  const std::size_t n = entries_.size();
  residual_.resize(n);
  direction_.resize(n);
  curved_.resize(n);
  shaped_.resize(n);
  curve(inverse, change_, curved_);
  for (std::size_t k = 0; k < n; ++k) residual_[k] = held_[k] ? 0.0 : -(entries_[k]->gradient + pulls_[k] + curved_[k]);
  const std::vector<double> slopes = residual_;
  conjugate_gradients(inverse, enough);
  // What passes zero stops there. The model must fall all the same; half the way it falls more surely.
  for (double length = 1.0; length > 0.01; length /= 2) {
    for (std::size_t k = 0; k < n; ++k) {
      const double value = values_[k] + length * change_[k];
      const bool stops = rows_[k] != columns_[k] && value * values_[k] <= 0.0;
      direction_[k] = (stops ? 0.0 : value) - values_[k];
    }
    curve(inverse, direction_, curved_);
    if (inner(slopes, direction_) > 0.5 * inner(direction_, curved_)) {
      for (std::size_t k = 0; k < n; ++k) entries_[k]->value = values_[k] + direction_[k];
      return true;
    }
  }
  return false;
}

}  // namespace dagathlon
