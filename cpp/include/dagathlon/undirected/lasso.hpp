// The regression of each variable on all others with a penalty on the absolute weights, along a path of
// penalties: Meinshausen and Bühlmann's neighbourhoods, and the square-root lasso of TIGER.
//
// Everything is computed from products of columns of mean square 1, that is from correlations. With
// residual variance Q = 1 − 2r'b + b'Rb the weights minimise
//   the lasso              Q/2 + penalty·|b|
//   the square-root lasso  √Q + penalty·|b|, which is the lasso with penalty·√Q in place of the penalty.
// Where the predictors explain nearly all, √Q has a kink at zero; below `least_deviation` it is replaced
// by the parabola that continues it, so that penalty·least_deviation is the least penalty of that lasso.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dagathlon {

constexpr double least_deviation = 1e-3;

struct LassoSettings {
  // How far the optimality conditions may be from holding, in correlations.
  double tolerance = 1e-10;
  // Sweeps over the active predictors of one regression at one penalty.
  std::size_t max_sweeps = 10000;
  bool square_root = false;
};

// A weight that is not zero.
struct RegressionWeight {
  std::size_t predictor;
  double value;
};

// All regressions of p variables at L penalties.
struct RegressionPath {
  std::size_t size = 0;
  // Of penalty k and target j at place k·p + j.
  std::vector<std::vector<RegressionWeight>> weights;
  std::vector<double> residual_variances;
  // Whether the optimality conditions hold everywhere.
  bool converged = true;
};

// `correlation` has p rows of p; the penalties decrease.
RegressionPath neighbourhood_path(std::span<const double> correlation, std::size_t p, std::span<const double> penalties,
                                  const LassoSettings& settings);

}  // namespace dagathlon
