// The G-Wishart distribution: precision matrices with the zeros of an undirected graph, drawn directly
// (Lenkoski 2013).
//
// With b degrees of freedom and the scale D, the density of the precision matrix K is proportional to
// |K|^((b-2)/2) exp(-tr(K D)/2). A draw from the Wishart distribution is inverted, and its covariances
// off the edges are replaced so that the inverse is zero there. Only the core of the graph, what is left
// of it without the nodes that hang on cliques, takes iterations; the other nodes take one regression each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/undirected/peeling.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// A precision matrix and its inverse.
struct Precision {
  SquareMatrix precision;
  SquareMatrix covariance;
};

// The upper triangular R with D = R·Rᵀ; throws std::domain_error where D is not positive definite.
SquareMatrix upper_factor(const SquareMatrix& scale);
// Of the identity times a number.
SquareMatrix upper_factor(std::size_t n, double scale);

// Draws that keep their working memory.
class GWishartSampler {
 public:
  // The factor is that of the scale.
  void draw(const BitMatrix& adjacent, double b, const SquareMatrix& factor, Stream& random, Precision& out);

 private:
  void draw_wishart(double b, const SquareMatrix& factor, Stream& random);
  double covariance(std::size_t i, std::size_t j) const;
  void complete_core(const BitMatrix& adjacent, const NodeSequence& core);
  bool renew(std::size_t place);
  void place_core(const NodeSequence& core, Precision& out);
  void add_leaf(const Leaf& leaf, Precision& out);
  void rescale(Precision& out) const;

  std::size_t n_ = 0;
  // Row i holds, from the diagonal on, row i of a factor of the inverse Wishart matrix.
  SquareMatrix factor_, bartlett_;
  std::vector<double> deviations_;
  // Of the core: correlations, neighbours by place.
  SquareMatrix core_;
  std::vector<NodeSequence> near_;
  std::vector<double> block_, given_, coefficients_, row_;
};

// The precision matrix alone.
void sample_g_wishart(const BitMatrix& adjacent, double b, const SquareMatrix& factor, Stream& random,
                      SquareMatrix& precision);

// Solves matrix·x = b for a symmetric positive definite k×k matrix of which the upper triangle counts;
// both are overwritten. False where the matrix is not positive definite.
bool solve_symmetric(std::span<double> matrix, std::span<double> b);

}  // namespace dagathlon
