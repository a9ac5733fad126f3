// The inverse of a positive definite matrix.
#pragma once

#include <optional>

#include "dagathlon/square_matrix.hpp"

namespace dagathlon {

// Puts the inverse into the place of a symmetric matrix and gives the logarithm of the determinant that
// the matrix had. Nothing for one that is not positive definite, which is destroyed.
//
// Blocks of rows are swept one after another, on one half of the matrix: as many operations as a Cholesky
// factor and the inverse by it, nearly all of them in one product of two thin matrices. Sums run in one
// fixed order, however wide the registers are.
std::optional<double> invert_positive(SquareMatrix& matrix);

}  // namespace dagathlon
