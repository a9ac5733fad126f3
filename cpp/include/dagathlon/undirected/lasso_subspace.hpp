// The quadratic model of a Newton step of the graphical lasso on the entries that are not zero, with their signs fixed,
// by conjugate gradients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/linalg/square_matrix.hpp"
#include "dagathlon/undirected/graphical_lasso_model.hpp"

namespace dagathlon {

// Coordinate descent finds the signs in a few sweeps; where variables are strongly correlated it would then take
// hundreds to find the values. On fixed signs the model is a linear system in the step D: the entries of W·D·W, with the
// inverse W, are to cancel the gradient and the pull of the penalty. X·R·X, with the precision matrix X, is the
// solution for a residual R if all entries may move, and preconditions the system where they may not.
class LassoSubspace {
 public:
  explicit LassoSubspace(std::size_t size) : size_(size), product_(size * size), turned_(size * size), row_(size) {}

  // Improves the values of the entries until no slope is larger than `enough`, or one of them reaches zero: it stays
  // there. False where nothing was improved.
  bool improve(LassoEntries& entries, const SquareMatrix& precision, const SquareMatrix& inverse,
               const LassoPenalties& penalties, double enough);

 private:
  // The entries that are not zero, and both halves of the matrix that they make, row by row.
  void take(LassoEntries& entries, const SquareMatrix& precision, const LassoPenalties& penalties);
  // out = the entries of W·D·W for the matrix D of the values.
  void curve(const SquareMatrix& inverse, std::span<const double> values, std::span<double> out);
  // out = the entries of X·R·X for the matrix R of the values.
  void precondition(std::span<const double> values, std::span<double> out);
  double inner(std::span<const double> a, std::span<const double> b) const;
  // The change of values that solves the system for the residual.
  void conjugate_gradients(const SquareMatrix& inverse, double enough);

  std::size_t size_;
  std::vector<LassoEntry*> entries_;
  std::vector<std::uint32_t> rows_, columns_;
  std::vector<bool> held_;
  std::vector<double> values_, pulls_, shape_, residual_, change_, direction_, curved_, shaped_;
  // Row i of the matrix: the columns from begins_[i] on, and which entry each is.
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> places_, which_;
  std::vector<double> product_, turned_, row_;
};

}  // namespace dagathlon
