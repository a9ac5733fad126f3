// Smooth measures of how far a weighted graph is from having no directed cycle: zero for a DAG.
#pragma once

#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

struct Acyclicity {
  double value;
  // Its derivative by the square of each weight, from row to column.
  SquareMatrix slope;
};

// tr((I + W∘W/p)^p) - p (Yu et al. 2019).
Acyclicity polynomial_acyclicity(const SquareMatrix& weights);
// tr(exp(W∘W)) - p (Zheng et al. 2018).
Acyclicity exponential_acyclicity(const SquareMatrix& weights);

}  // namespace dagathlon
