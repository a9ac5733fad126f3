// What is predicted in a regression on groups of columns: a continuous variable, or the contrasts of a
// discrete one.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/lasso_groups.hpp"

namespace dagathlon {

class Response {
 public:
  Response(const GroupedData& data, std::size_t target);
  // Contrasts of the target, 1 for a continuous one.
  std::size_t dimensions() const { return dimensions_; }
  bool is_discrete() const { return levels_ > 0; }
  // No weight matrix has a larger eigenvalue than this.
  double largest_weight() const { return levels_ == 0 ? 1.0 : 0.5; }

  // Mean loss for linear predictors, column after column.
  double loss(const std::vector<double>& predictors) const;
  // Minus the slopes of each row's loss; and its curvature, a column for each pair of dimensions a ≤ b.
  void residuals(const std::vector<double>& predictors, std::vector<double>& out) const;
  void weights(const std::vector<double>& predictors, std::vector<double>& out) const;

 private:
  // Probabilities of the levels in a row, and minus the logarithm of that of its own.
  double probabilities(const std::vector<double>& predictors, std::size_t row, std::vector<double>& out) const;

  std::size_t rows_, levels_, dimensions_;
  const double* values_;
  const std::uint32_t* codes_;
  // A row for each level.
  std::vector<double> contrasts_;
};

}  // namespace dagathlon
