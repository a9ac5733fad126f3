// Adam, and GOLEM: a linear model with an acyclicity penalty that is fitted by it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// Steps of gradient descent scaled by running moments of the gradient (Kingma and Ba 2015).
class Adam {
 public:
  Adam(std::size_t cells, double beta1, double beta2)
      : beta1_(beta1), beta2_(beta2), mean_(cells, 0.0), square_(cells, 0.0), direction_(cells, 0.0) {}
  // The direction to go against, for step size 1.
  const std::vector<double>& direction(std::span<const double> gradient);

 private:
  double beta1_, beta2_;
  double power1_ = 1.0, power2_ = 1.0;
  std::vector<double> mean_, square_, direction_;
};

struct GolemSettings {
  bool equal_variances;
  double sparsity;
  double acyclicity;
  double learning_rate;
  std::size_t steps;
};
// Weights that lower the Gaussian likelihood with both penalties (Ng, Ghassami and Zhang 2020), from
// `start`; nothing when I - W becomes singular or weights infinite.
std::optional<SquareMatrix> golem(const SquareMatrix& moments, SquareMatrix start, const GolemSettings& settings);
// The objective of GOLEM and its gradient.
std::optional<double> golem_objective(const SquareMatrix& moments, const SquareMatrix& weights,
                                      const GolemSettings& settings, SquareMatrix& gradient);

}  // namespace dagathlon
