// The regression of each variable, continuous or discrete, on all others with a penalty on the size of
// what each of them contributes, along a path of penalties.
//
// A continuous variable is a column of mean 0 and mean square 1. A discrete one of K levels is coded by
// K−1 columns: its indicators times orthonormal contrasts, centred, divided by its scale, the root of
// the sum of the variances of the indicators. Weights of contrasts have the size (Frobenius norm) of
// the symmetric weights of all levels, so that no level is special. A discrete target is a multinomial
// logit, again over contrasts. With the mean loss (half a square, or minus a log-probability) the
// weights of target j minimise
//   loss + penalty·scaleⱼ·Σₖ ‖weights of k‖,
// which are the weights of Lee and Hastie (2015): all penalties are in units of correlations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dagathlon {

// Helmert's contrasts: entry of a level and of one of its K−1 orthonormal columns.
double contrast(std::size_t level, std::size_t column);

struct GroupedData {
  std::size_t rows = 0;
  // All predictors, column after column; those of variable j from starts[j] up to starts[j + 1]. A
  // constant variable has none.
  std::vector<double> columns;
  std::vector<std::size_t> starts;
  // Numbers of levels, 0 of continuous variables, and levels of each row, variable after variable.
  std::vector<std::size_t> levels;
  std::vector<std::uint32_t> codes;
  std::vector<double> scales;

  std::size_t size() const { return levels.size(); }
  const double* column(std::size_t u) const { return columns.data() + u * rows; }
  bool constant(std::size_t j) const { return starts[j] == starts[j + 1]; }
};

struct GroupSettings {
  // How far the optimality conditions may be from holding, in correlations.
  double tolerance = 1e-9;
  // Newton steps of one regression at one penalty.
  std::size_t max_steps = 500;
};

// What one variable contributes to a target: a row for each of its columns, one entry per contrast.
struct GroupWeights {
  std::size_t predictor;
  std::vector<double> values;
};

struct GroupFit {
  std::vector<double> intercept;
  std::vector<GroupWeights> groups;
  // Of the rows under the fit, a Gaussian target with the variance of its residuals.
  double log_likelihood = 0.0;
};

struct GroupPath {
  std::size_t size = 0;
  // Of penalty k and target j at place k·p + j.
  std::vector<GroupFit> fits;
  bool converged = true;
};

GroupPath group_path(const GroupedData& data, std::span<const double> penalties, const GroupSettings& settings);

// The same regressions with all but no penalty on the neighbours in each of several graphs, p rows of p
// each. One with as many weights as rows has likelihood 0 and no weights.
GroupPath group_refits(const GroupedData& data, std::span<const bool> graphs);

}  // namespace dagathlon
