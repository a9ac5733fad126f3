// What is predicted in a regression on groups of columns: a continuous variable, or the contrasts of a
// discrete one.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/undirected/lasso_groups.hpp"

namespace dagathlon {

class Response {
 public:
  Response(const GroupedData& data, std::size_t target);
  // Contrasts of the target, 1 for a continuous one.
  std::size_t dimensions() const { return dimensions_; }
  bool is_discrete() const { return levels_ > 0; }
  // No weight matrix has a larger eigenvalue than this.
  double largest_weight() const { return levels_ == 0 ? 1.0 : 0.5; }

  // Mean loss for linear predictors, column after column. What follows is about these predictors.
  double evaluate(const std::vector<double>& predictors);
  double loss() const { return loss_; }
  // Minus the slopes of each row's loss, a column for each dimension.
  void residuals(std::vector<double>& out) const;
  // Second derivatives of each row's loss, a column for each pair of dimensions a ≤ b.
  void weights(std::vector<double>& out) const;

 private:
  double evaluate_row(const std::vector<double>& predictors, std::size_t row);
  double evaluate_two_levels(double predictor, std::size_t row);

  std::size_t rows_, levels_, dimensions_;
  const double* values_;
  const std::uint32_t* codes_;
  // A row for each level.
  std::vector<double> contrasts_;
  // Probabilities of the levels in each row; of a continuous target what is left of the value.
  std::vector<double> chances_;
  double loss_ = 0.0;
};

}  // namespace dagathlon
