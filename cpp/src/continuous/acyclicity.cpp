#include "dagathlon/continuous/acyclicity.hpp"

namespace dagathlon {

namespace {

SquareMatrix squares(const SquareMatrix& weights, double factor) {
  SquareMatrix result = weights;
  for (double& cell : result.cells()) cell *= cell * factor;
  return result;
}

}  // namespace

Acyclicity polynomial_acyclicity(const SquareMatrix& weights) {
  const std::size_t p = weights.size();
  SquareMatrix walks = squares(weights, 1.0 / static_cast<double>(p));
  for (std::size_t i = 0; i < p; ++i) walks(i, i) += 1.0;
  Acyclicity result{-static_cast<double>(p), transposed(power(walks, p - 1))};
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) result.value += result.slope(i, j) * walks(i, j);
  return result;
}

Acyclicity exponential_acyclicity(const SquareMatrix& weights) {
  const SquareMatrix walks = exponential(squares(weights, 1.0));
  return {trace(walks) - static_cast<double>(weights.size()), transposed(walks)};
}

}  // namespace dagathlon
