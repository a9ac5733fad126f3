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
  explicit LassoSubspace(std::size_t size) : size_(size), row_(size) {}

  // Improves the values of the entries until no slope is larger than `enough`, or one of them reaches zero: it stays
  // there. False where nothing was improved. The model is at the inverse of the matrix.
  bool improve(LassoModel& model, LassoEntries& entries, const SquareMatrix& precision, const LassoPenalties& penalties,
               double enough);

 private:
  void take(LassoEntries& entries, const SquareMatrix& precision, const LassoPenalties& penalties);
  // out = the entries of X·R·X for the matrix R of the values.
  void precondition(std::span<const double> values, std::span<double> out);
  double inner(std::span<const double> a, std::span<const double> b) const;
  // The change of values that solves the system for the residual.
  void conjugate_gradients(LassoModel& model, double enough);

  std::size_t size_;
  // The entries that are not zero, or were not before the step; the latter are held where they are.
  std::vector<LassoEntry*> entries_;
  LassoPattern pattern_;
  std::vector<bool> held_;
  std::vector<double> values_, pulls_, shape_, residual_, change_, direction_, curved_, shaped_, row_;
};

}  // namespace dagathlon
