// CLIME (Cai, Liu and Luo 2011): column j of the precision matrix is the vector b with the least Σ|b_i|
// among those with |Sb - e_j| ≤ penalty in every row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// The solutions of one column for penalties in decreasing order, at most one: as many as there are before
// the conditions have no solution, or the corners of the path cannot be told apart. Exactly zero where zero.
//
// The solution is a piecewise linear function of the penalty, which is followed from 1 (where it is zero)
// downwards. Between two corners as many rows are at their bound as entries are not zero; at a corner one row
// or entry joins or leaves and the dual solution moves until another one does: the parametric simplex method,
// with a basis that is no larger than the solution.
std::vector<std::vector<double>> clime_column(const SquareMatrix& covariance, std::size_t target,
                                              std::span<const double> penalties);

}  // namespace dagathlon
