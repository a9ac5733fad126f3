// A quadratic criterion with a penalty on the norms of groups of its parameters, of which the first is
// free.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace dagathlon {

struct GroupQuadratic {
  // Parameters of each group, from the first up to the last; they follow each other.
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  // Where the criterion was expanded, minus its slopes there, and its second derivatives row by row.
  std::vector<double> values, slopes, curvature;

  // One more group at zero, and where its values are.
  double* add(std::size_t parameters);
  double size_of(std::size_t group) const;
  // Sum of the norms of penalised groups.
  double norms() const;
  std::vector<bool> support() const;
  // By how much the optimality conditions are missed.
  double violation(double penalty) const;
  // Minimum of the quadratic criterion with the penalty, to a tolerance of its slopes.
  std::vector<double> descend(double penalty, double tolerance) const;
  // Newton's step with the curvature of the norms, for groups that stay away from zero; nothing where
  // one would not.
  std::optional<std::vector<double>> smooth_step(double penalty) const;
};

}  // namespace dagathlon
