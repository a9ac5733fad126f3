#include "dagathlon/undirected/lasso_response.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dagathlon {

double contrast(std::size_t level, std::size_t column) {
  const double c = static_cast<double>(column) + 1.0;
  if (level > column + 1) return 0.0;
  return (level == column + 1 ? -c : 1.0) / std::sqrt(c * (c + 1.0));
}

Response::Response(const GroupedData& data, std::size_t target)
    : rows_(data.rows),
      levels_(data.levels[target]),
      dimensions_(levels_ == 0 ? 1 : levels_ - 1),
      values_(data.column(data.starts[target])),
      codes_(data.codes.data() + target * data.rows),
      contrasts_(levels_ * dimensions_),
      chances_(std::max<std::size_t>(levels_, 1) * rows_) {
  for (std::size_t level = 0; level < levels_; ++level)
    for (std::size_t c = 0; c < dimensions_; ++c) contrasts_[level * dimensions_ + c] = contrast(level, c);
}

double Response::evaluate_two_levels(double predictor, std::size_t row) {
  const double odds = predictor * std::numbers::sqrt2, small = std::exp(-std::abs(odds));
  const double likely = 1.0 / (1.0 + small);
  chances_[2 * row] = odds > 0.0 ? likely : small * likely;
  chances_[2 * row + 1] = odds > 0.0 ? small * likely : likely;
  return std::log1p(small) + std::max(0.0, codes_[row] == 0 ? -odds : odds);
}

double Response::evaluate_row(const std::vector<double>& predictors, std::size_t row) {
  double* out = chances_.data() + levels_ * row;
  double largest = -INFINITY, sum = 0.0;
  for (std::size_t level = 0; level < levels_; ++level) {
    double score = 0.0;
    for (std::size_t c = 0; c < dimensions_; ++c)
      score += contrasts_[level * dimensions_ + c] * predictors[c * rows_ + row];
    out[level] = score;
    largest = std::max(largest, score);
  }
  const double own = out[codes_[row]] - largest;
  for (std::size_t level = 0; level < levels_; ++level) sum += out[level] = std::exp(out[level] - largest);
  for (std::size_t level = 0; level < levels_; ++level) out[level] /= sum;
  return std::log(sum) - own;
}

double Response::evaluate(const std::vector<double>& predictors) {
  double sum = 0.0;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (levels_ == 2) {
      sum += evaluate_two_levels(predictors[row], row);
    } else if (is_discrete()) {
      sum += evaluate_row(predictors, row);
    } else {
      const double rest = chances_[row] = values_[row] - predictors[row];
      sum += rest * rest / 2.0;
    }
  }
  return loss_ = sum / static_cast<double>(rows_);
}

void Response::residuals(std::vector<double>& out) const {
  if (!is_discrete()) {
    out = chances_;
    return;
  }
  out.resize(dimensions_ * rows_);
  for (std::size_t row = 0; row < rows_; ++row)
    for (std::size_t c = 0; c < dimensions_; ++c) {
      double rest = contrasts_[codes_[row] * dimensions_ + c];
      for (std::size_t level = 0; level < levels_; ++level)
        rest -= chances_[row * levels_ + level] * contrasts_[level * dimensions_ + c];
      out[c * rows_ + row] = rest;
    }
}

void Response::weights(std::vector<double>& out) const {
  const std::size_t d = dimensions_;
  out.assign(d * (d + 1) / 2 * rows_, 1.0);
  if (!is_discrete()) return;
  std::vector<double> means(d);
  for (std::size_t row = 0; row < rows_; ++row) {
    const double* chances = chances_.data() + row * levels_;
    std::ranges::fill(means, 0.0);
    for (std::size_t level = 0; level < levels_; ++level)
      for (std::size_t c = 0; c < d; ++c) means[c] += chances[level] * contrasts_[level * d + c];
    std::size_t pair = 0;
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = a; b < d; ++b, ++pair) {
        double product = -means[a] * means[b];
        for (std::size_t level = 0; level < levels_; ++level)
          product += chances[level] * contrasts_[level * d + a] * contrasts_[level * d + b];
        out[pair * rows_ + row] = product;
      }
  }
}

}  // namespace dagathlon
