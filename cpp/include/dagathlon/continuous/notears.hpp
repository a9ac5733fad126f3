// NOTEARS with the least squares loss: ½ tr((I-W)ᵀC(I-W)) + λ|W|₁ subject to h(W) = 0.
//
// The augmented Lagrangian asks, for each penalty ρ and multiplier α, for a minimum of
// loss + αh + ½ρh². That minimum is also one of loss + μh, where μ = α + ρh there: a point on the path
// of solutions over μ. So μ is found by a search over one number, and each point of the path by
// replacing h by its slope in the squared weights, which leaves one lasso per column. Where many arcs
// still change, minima that are better than those on one path are found by larger steps.
#pragma once

#include <cstddef>
#include <span>

#include "dagathlon/continuous/acyclicity.hpp"

namespace dagathlon {

struct NotearsPoint {
  SquareMatrix weights;
  double acyclicity;
  double multiplier;
  std::size_t steps;
};

class LeastSquaresNotears {
 public:
  // Second moments row after row.
  LeastSquaresNotears(std::span<const double> moments, std::size_t size, double lambda);
  // Value of the penalised loss without the acyclicity term.
  double loss(const SquareMatrix& weights) const;
  // A minimum of loss + αh + ½ρh², by a search that may leave the path which `start` is on.
  NotearsPoint search(SquareMatrix start, double rho, double alpha) const;
  // The minimum of loss + αh + ½ρh² that is reached along the path.
  NotearsPoint minimise(const NotearsPoint& start, double rho, double alpha) const;

 private:
  // The minimum of loss + μh that is reached from `start`.
  NotearsPoint follow(SquareMatrix weights, double multiplier) const;
  // The minimum with h replaced by the slope times the squared weights.
  SquareMatrix lassos(const SquareMatrix& weights, const SquareMatrix& slope, double multiplier) const;
  void lasso(std::size_t column, const SquareMatrix& slope, double multiplier, std::span<double> weights) const;

  SquareMatrix moments_;
  double lambda_;
};

}  // namespace dagathlon
