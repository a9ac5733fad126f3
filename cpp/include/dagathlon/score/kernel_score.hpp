// The generalised score: cross-validated likelihood of a variable's kernel features given its parents'
// (Huang, Zhang, Lin, Schoelkopf and Glymour 2018).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dagathlon/score/score.hpp"

namespace dagathlon {

// A variable: its values, or the numbers of its levels, which are alike or not.
struct KernelColumn {
  std::vector<double> values;
  bool is_discrete;
};

// Features of x are regressed on the features of its parents by ridge regression; what is left is taken for
// normal. Folds take turns row by row. Kernels are factorised up to a small rest, so that the work grows with
// the rows and not with their cube. The ridge is a share of the rows.
std::unique_ptr<Score> kernel_score(std::vector<KernelColumn> columns, double ridge);

}  // namespace dagathlon
