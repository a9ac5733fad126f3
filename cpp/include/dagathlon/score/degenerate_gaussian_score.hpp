// The degenerate Gaussian score of mixed data (Andrews, Ramsey and Cooper 2019).
//
// Every variable is one or more columns, indicators of its levels or its values, and all columns are
// taken for jointly normal. The score of a DAG is a sum of differences of one function of sets of
// variables, so that equivalent DAGs have equal scores.
//
// Singular data have a value everywhere, and it is as equivalent as all others: each column, in units of
// its standard deviation, has `independent_share` of variance on its own. A column that is a linear
// function of others keeps about that much; a constant column has variance 1 and gains nothing. A family
// with parents that leaves no degree of freedom (columns + 1 >= rows) is minus infinity.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dagathlon/score/gaussian_score.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

inline constexpr double independent_share = 1e-8;

// The log likelihood less a penalty for each free parameter. The columns of variable j are starts[j] up
// to starts[j + 1]; it may have none.
std::unique_ptr<Score> degenerate_gaussian_score(ChildMoments moments, std::vector<std::size_t> starts, double penalty);

}  // namespace dagathlon
