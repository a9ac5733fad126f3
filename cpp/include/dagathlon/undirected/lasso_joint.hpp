// Joint sparse regression (SPACE; Peng, Wang, Zhou and Zhu 2009): one lasso for the partial correlations
// of all pairs at once.
//
// From correlations R, precisions d (the diagonal of the precision matrix) and a weight w for each
// variable, the partial correlations c minimise
//   ½ Σᵢ wᵢ·Qᵢ + penalty·Σ_{i≠j} |cᵢⱼ|,   Qᵢ the mean square of xᵢ − Σⱼ cᵢⱼ √(dⱼ/dᵢ) xⱼ.
// Each pair counts twice in the penalty, so that with d = w = 1 the largest correlation is the smallest
// penalty without an edge. Then d is what the residuals say, 1/Qᵢ, and so on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dagathlon {

enum class JointWeights { equal, precision, degree };

struct JointSettings {
  JointWeights weights = JointWeights::equal;
  // How often the partial correlations are estimated, each time with precisions from the time before.
  std::size_t rounds = 3;
  // How far the optimality conditions may be from holding, in correlations.
  double tolerance = 1e-10;
  std::size_t max_sweeps = 10000;
};

struct JoinedPair {
  std::size_t i, j;
  double value;
};

struct JointEstimate {
  // Those that are not zero, each pair once.
  std::vector<JoinedPair> partial_correlations;
  // Those that the partial correlations were estimated with, and those of their residuals.
  std::vector<double> given_precisions, weights, precisions;
};

struct JointPath {
  std::size_t size = 0;
  std::vector<JointEstimate> estimates;
  bool converged = true;
};

// `correlation` has p rows of p; the penalties decrease.
JointPath joint_path(std::span<const double> correlation, std::size_t p, std::span<const double> penalties,
                     const JointSettings& settings);

}  // namespace dagathlon
