#include "dagathlon/lasso_response.hpp"

#include <algorithm>
#include <cmath>

namespace dagathlon {

double contrast(std::size_t level, std::size_t column) {
  const double c = static_cast<double>(column) + 1.0;
  if (level > column + 1) return 0.0;
  return (level == column + 1 ? -c : 1.0) / std::sqrt(c * (c + 1.0));
}

Response::Response(const GroupedData& data, std::size_t target)
    : rows_(data.rows), levels_(data.levels[target]), dimensions_(levels_ == 0 ? 1 : levels_ - 1),
      values_(data.column(data.starts[target])), codes_(data.codes.data() + target * data.rows),
      contrasts_(levels_ * dimensions_) {
  for (std::size_t level = 0; level < levels_; ++level)
    for (std::size_t c = 0; c < dimensions_; ++c) contrasts_[level * dimensions_ + c] = contrast(level, c);
}

double Response::probabilities(const std::vector<double>& predictors, std::size_t row,
                               std::vector<double>& out) const {
  double largest = -INFINITY, sum = 0.0;
  for (std::size_t level = 0; level < levels_; ++level) {
    double score = 0.0;
    for (std::size_t c = 0; c < dimensions_; ++c)
      score += contrasts_[level * dimensions_ + c] * predictors[c * rows_ + row];
    out[level] = score;
    largest = std::max(largest, score);
  }
  const double own = out[codes_[row]] - largest;
  for (double& value : out) sum += value = std::exp(value - largest);
  for (double& value : out) value /= sum;
  return std::log(sum) - own;
}

double Response::loss(const std::vector<double>& predictors) const {
  double sum = 0.0;
  std::vector<double> chances(levels_);
  for (std::size_t row = 0; row < rows_; ++row) {
    if (is_discrete()) {
      sum += probabilities(predictors, row, chances);
    } else {
      const double rest = values_[row] - predictors[row];
      sum += rest * rest / 2.0;
    }
  }
  return sum / static_cast<double>(rows_);
}

void Response::residuals(const std::vector<double>& predictors, std::vector<double>& out) const {
  out.resize(dimensions_ * rows_);
  std::vector<double> chances(levels_);
  for (std::size_t row = 0; row < rows_; ++row) {
    if (!is_discrete()) {
      out[row] = values_[row] - predictors[row];
      continue;
    }
    probabilities(predictors, row, chances);
    for (std::size_t c = 0; c < dimensions_; ++c) {
      double rest = contrasts_[codes_[row] * dimensions_ + c];
      for (std::size_t level = 0; level < levels_; ++level) rest -= chances[level] * contrasts_[level * dimensions_ + c];
      out[c * rows_ + row] = rest;
    }
  }
}

void Response::weights(const std::vector<double>& predictors, std::vector<double>& out) const {
  const std::size_t d = dimensions_;
  out.assign(d * (d + 1) / 2 * rows_, 1.0);
  if (!is_discrete()) return;
  std::vector<double> chances(levels_), means(d);
  for (std::size_t row = 0; row < rows_; ++row) {
    probabilities(predictors, row, chances);
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
