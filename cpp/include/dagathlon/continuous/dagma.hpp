// DAGMA: linear models with a log-determinant penalty on cycles, along a central path (Bello, Aragam and Ravikumar 2022).
//
// Each stage of the path minimises μ·(loss + λ|W|₁) + h(W) from where the last one ended, with
// h(W) = p·log s - log det(sI - W∘W), for W in the domain where sI - W∘W is an M-matrix.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// Columns of 0 and 1 for the logistic loss; without rows the loss is least squares. The moments are means of products.
struct DagmaData {
  SquareMatrix moments;
  std::span<const double> values;
  std::size_t rows;
};

struct DagmaStage {
  double sparsity;
  double weight_of_loss;
  double log_determinant_scale;
};

struct DagmaAdam {
  double learning_rate;
  double beta1, beta2;
  std::size_t checkpoint;
};

// A stage by at most so many steps of Adam, as the authors do; nothing when the start is outside the domain.
std::optional<SquareMatrix> dagma_by_adam(const DagmaData& data, SquareMatrix start, const DagmaStage& stage,
                                          const DagmaAdam& adam, std::size_t most_steps);

struct DagmaMinimum {
  SquareMatrix weights;
  std::size_t steps;
};
// A stage to a stationary point, by at most so many orthant-wise quasi-Newton steps, until one gains less than this part
// of the value; nothing when the start is outside the domain.
std::optional<DagmaMinimum> dagma_by_quasi_newton(const DagmaData& data, SquareMatrix start, const DagmaStage& stage,
                                                  double gain, std::size_t most_steps);

// Loss without penalties and its gradient.
double dagma_loss(const DagmaData& data, const SquareMatrix& weights, SquareMatrix& gradient);
// What is smooth of the objective, divided by the weight of the loss: loss + h(W)/μ, and its gradient, which is zero
// on the diagonal; nothing outside the domain.
std::optional<double> dagma_smooth(const DagmaData& data, const SquareMatrix& weights, const DagmaStage& stage,
                                   SquareMatrix& gradient);

}  // namespace dagathlon
