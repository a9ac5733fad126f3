// Cholesky factors of small symmetric matrices: one recurrence, with a policy for pivots that are too small.
//
// The factor L of a matrix A = L·Lᵀ is stored by rows, its diagonal as roots or as their inverses. Sums run from left
// to right, so that the same matrix has the same factor in every caller.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

namespace dagathlon::cholesky {

// How the diagonal of a factor is stored. A zero marks a row that is a linear function of those before it; other rows
// pass over it.
enum class Diagonal { root, inverse_root };

// Pivot policies: the diagonal entry for a pivot, given the diagonal value of the matrix; nothing ends the factorisation.
// Takes every pivot; the factor of a matrix that is not positive definite has entries that are not numbers.
struct AnyPivot {
  std::optional<double> operator()(double pivot, double) const { return std::sqrt(pivot); }
};
// Raises small pivots to a floor, for matrices that are singular by rounding alone.
struct RaiseTo {
  double floor;
  std::optional<double> operator()(double pivot, double) const { return std::sqrt(std::max(pivot, floor)); }
};
// Passes over rows that keep no more than a share of their own value.
struct SkipBelow {
  double share;
  std::optional<double> operator()(double pivot, double own) const {
    return pivot > share * own ? std::sqrt(pivot) : 0.0;
  }
};
// Gives up on a matrix with a row that keeps no more than a share of its own value.
struct RefuseBelow {
  double share;
  std::optional<double> operator()(double pivot, double own) const {
    return pivot > share * own ? std::optional(std::sqrt(pivot)) : std::nullopt;
  }
};

// Computes the first `known` entries of a row of the factor, given the rows before it (`stride` apart), and returns the
// pivot: what remains of `own`, the diagonal value. `entry(j)` is the matrix between the row and row j.
template <Diagonal diagonal, class Entry>
double solve_row(double* row, const double* factor, std::size_t stride, std::size_t known, double own,
                 const Entry& entry) {
  double pivot = own;
  for (std::size_t j = 0; j < known; ++j) {
    const double* other = factor + j * stride;
    double rest = entry(j);
    for (std::size_t l = 0; l < j; ++l) rest -= row[l] * other[l];
    if constexpr (diagonal == Diagonal::inverse_root) row[j] = rest * other[j];
    else row[j] = other[j] == 0.0 ? 0.0 : rest / other[j];
    pivot -= row[j] * row[j];
  }
  return pivot;
}

// Writes the lower factor of a size × size matrix, given by `entry(i, j)` for j ≤ i, with roots on its diagonal; the
// upper half is not touched. The matrix may be in the place of the factor. False where the policy refuses a pivot.
template <class Entry, class Policy>
bool factorise(std::span<double> factor, std::size_t size, const Entry& entry, const Policy& policy) {
  for (std::size_t i = 0; i < size; ++i) {
    double* row = factor.data() + i * size;
    const double own = entry(i, i);
    const double pivot =
        solve_row<Diagonal::root>(row, factor.data(), size, i, own, [&](std::size_t j) { return entry(i, j); });
    const std::optional<double> root = policy(pivot, own);
    if (!root) return false;
    row[i] = *root;
  }
  return true;
}

// The same in place of a matrix, of which the lower half is read.
template <class Policy>
bool factorise(std::span<double> matrix, std::size_t size, const Policy& policy) {
  return factorise(matrix, size, [&](std::size_t i, std::size_t j) { return matrix[i * size + j]; }, policy);
}

// Sweeps the first k rows of a factor out of a row of the matrix: row k of the factor over all columns, before it is
// scaled by the root of its pivot. Row after row, the factor is `columns` wide.
inline void sweep_row(double* factor, std::size_t k, std::size_t columns, const double* source, std::size_t pivot) {
  double* row = factor + k * columns;
  std::copy_n(source, columns, row);
  for (std::size_t j = 0; j < k; ++j) {
    const double* earlier = factor + j * columns;
    const double share = earlier[pivot];
    for (std::size_t x = 0; x < columns; ++x) row[x] -= share * earlier[x];
  }
}

// Solves L·x = b in place of b, for a factor with roots on its diagonal; x is 0 where the factor passes over a row.
inline void solve_lower(std::span<const double> factor, std::span<double> b) {
  const std::size_t size = b.size();
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = factor.data() + i * size;
    for (std::size_t l = 0; l < i; ++l) b[i] -= row[l] * b[l];
    b[i] = row[i] == 0.0 ? 0.0 : b[i] / row[i];
  }
}

// Solves Lᵀ·x = b in place of b.
inline void solve_upper(std::span<const double> factor, std::span<double> b) {
  const std::size_t size = b.size();
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t l = i + 1; l < size; ++l) b[i] -= factor[l * size + i] * b[l];
    const double root = factor[i * size + i];
    b[i] = root == 0.0 ? 0.0 : b[i] / root;
  }
}

}  // namespace dagathlon::cholesky
