// The graphical lasso: the precision matrix X with the least tr(SX) - log det X + penalty·Σ|X_ij|.
//
// Variables whose covariances are all within the penalty of zero are apart in the solution (Witten, Friedman
// and Simon 2011; Mazumder and Hastie 2012), so each connected component is solved by itself: Newton steps
// whose direction is found by coordinate descent over the entries that can move (Hsieh et al. 2014). Entries
// that the penalty removes are exactly zero.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dagathlon/linalg/square_matrix.hpp"

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

// A square matrix of someone else, row after row.
struct MatrixView {
  const double* cells;
  std::size_t size;

  const double* row(std::size_t i) const { return cells + i * size; }
};

// An entry of a matrix, by its place row after row.
struct MatrixEntry {
  std::size_t place;
  double value;
};

// Solutions for one penalty after another, each begun at the one before. Of each connected component there are its own
// matrices, and of what lies between components there is nothing: the covariance is the only matrix of all variables.
class GraphicalLassoPath {
 public:
  // The covariance must stay where it is.
  GraphicalLassoPath(MatrixView covariance, const GraphicalLassoSettings& settings);

  // Solves for this penalty. Quickest where it is smaller than the one before; otherwise it begins anew.
  LassoProgress solve(double penalty);

  // Begins at another matrix and maximises the likelihood, with its zeros and without a penalty. Where it is not
  // positive definite, entries off the diagonal are drawn towards zero first. `start` has what is not zero, the
  // diagonal among it, in the order of places.
  LassoProgress refit(std::span<const MatrixEntry> start);

  std::size_t size() const { return covariance_.size; }
  // Of what was solved last: all that is not zero, in the order of places.
  std::vector<MatrixEntry> entries() const;

 private:
  // A component, its solution and the one before that.
  struct Block {
    std::vector<std::size_t> members;
    SquareMatrix precision;
    SquareMatrix inverse;
    SquareMatrix before;
    double log_determinant;
  };

  void begin(double penalty);
  void begin_at(std::span<const MatrixEntry> start);
  // How far ahead of the last two solutions the next one is to be looked for.
  void look_ahead(double penalty);
  Block alone(std::size_t node, double penalty) const;
  // The blocks that make up these members, as one.
  Block joined(std::vector<std::size_t> members);
  // Solves all blocks, by several threads; single variables are left as they are unless zeros are kept.
  LassoProgress solve_all(std::vector<Block>& blocks, double penalty, const GraphicalLassoSettings& settings) const;
  Block solved(Block block, double penalty, const GraphicalLassoSettings& settings, LassoProgress& progress) const;
  SquareMatrix guess(const Block& block) const;
  // Sets of variables that are joined by covariances above a bound, each ascending.
  std::vector<std::vector<std::size_t>> correlated(double bound) const;
  SquareMatrix covariance_of(const std::vector<std::size_t>& members) const;
  void set_blocks(std::vector<Block> blocks);

  GraphicalLassoSettings settings_;
  MatrixView covariance_;
  // The mean variance; all matrices of blocks are kept in this unit.
  double unit_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> block_of_;
  double last_penalty_;
  // From the penalty before the last to the last, and how many times as far the present one is from there; zero where
  // nothing is known.
  double last_way_ = 0.0;
  double lead_ = 0.0;
};

}  // namespace dagathlon
