// The graphical lasso: the precision matrix X with the least tr(SX) - log det X + penalty·Σ|X_ij|.
//
// Variables whose covariances are all within the penalty of zero are apart in the solution (Witten, Friedman
// and Simon 2011; Mazumder and Hastie 2012), so each connected component is solved by itself: Newton steps
// whose direction is found by coordinate descent over the entries that can move (Hsieh et al. 2014). Entries
// that the penalty removes are exactly zero.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dagathlon/square_matrix.hpp"

namespace dagathlon {

struct GraphicalLassoSettings {
  bool penalise_diagonal = false;
  // Largest distance of an entry of the gradient from what the optimum asks for, by the mean variance.
  double tolerance = 1e-8;
  // Newton steps per component.
  std::size_t max_steps = 200;
  // Whether entries that are zero at the start remain so.
  bool keep_zeros = false;
};

// One connected component: the covariance, and a precision matrix with its inverse, which are improved in place.
struct LassoComponent {
  SquareMatrix covariance;
  SquareMatrix precision;
  SquareMatrix inverse;
  // Logarithm of the determinant of the precision matrix.
  double log_determinant;
  // Where the solution may lie; it begins there if that is better.
  std::optional<SquareMatrix> guess;
};

struct LassoProgress {
  std::size_t steps = 0;
  // Largest violation of the conditions of the optimum, by the mean variance.
  double violation = 0.0;
};

LassoProgress solve_component(LassoComponent& component, double penalty, const GraphicalLassoSettings& settings);

// Solutions for one penalty after another, each begun at the one before.
class GraphicalLassoPath {
 public:
  GraphicalLassoPath(SquareMatrix covariance, const GraphicalLassoSettings& settings);

  // Solves for this penalty. Quickest where it is smaller than the one before; otherwise it begins anew.
  LassoProgress solve(double penalty);

  // Begins at another matrix and maximises the likelihood, with its zeros and without a penalty. Where it is not
  // positive definite, entries off the diagonal are drawn towards zero first.
  LassoProgress refit(const SquareMatrix& start);

  std::size_t size() const { return size_; }
  // Of what was solved last.
  SquareMatrix precision() const;

 private:
  void begin(double penalty);
  // Guesses the solution for this penalty.
  void look_ahead(double penalty);
  void begin_at(const SquareMatrix& start);
  LassoComponent take_part(const std::vector<std::size_t>& members);
  void put_part(LassoComponent& part, const std::vector<std::size_t>& members);
  void solve_alone(std::size_t node, double penalty);
  void solve_members(const std::vector<std::size_t>& members, double penalty, const GraphicalLassoSettings& settings,
                     LassoProgress& progress);

  GraphicalLassoSettings settings_;
  // The mean variance; all matrices are kept in this unit.
  double unit_;
  std::size_t size_;
  SquareMatrix covariance_;
  SquareMatrix precision_;
  SquareMatrix inverse_;
  // The solution before the present one, and where the present one may lie by the two before.
  SquareMatrix before_;
  SquareMatrix guess_;
  // Sums over the members of a component to its logarithm of the determinant.
  std::vector<double> log_determinants_;
  double last_penalty_;
  // From the penalty before the last to the last, and how many times as far the present one is from there; zero where
  // nothing is known.
  double last_way_ = 0.0;
  double lead_ = 0.0;
};

}  // namespace dagathlon
