// Gibbs sampling from G-Wishart distributions, one node's entries at a time (Wang and Li 2012), and independent
// draws where the scale is a multiple of the identity.
//
// Unlike the direct sampler of g_wishart.hpp, which is exact for decomposable graphs alone, a sweep leaves every
// G-Wishart distribution as it is.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/undirected/g_wishart.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// covariance += fresh·freshᵀ - old·oldᵀ, for vectors padded like its rows.
void exchange_products(SquareMatrix& covariance, const std::vector<double>& old, const std::vector<double>& fresh);

class PrecisionGibbs {
 public:
  // Draws the entries of every node given those of all others.
  void sweep(const BitMatrix& adjacent, double b, const SquareMatrix& scale, Stream& random, Precision& state);

 private:
  void renew(std::size_t node, double b, const SquareMatrix& scale, Stream& random, Precision& state);
  void draw_entries(std::size_t node, const SquareMatrix& scale, Stream& random, const Precision& state);

  std::size_t sweeps_ = 0;
  NodeSequence near_;
  std::vector<double> factor_, entries_, old_, fresh_;
};

// Draws with the identity times a number as scale, by rejection (Wang and Carvalho 2010): the triangular factor of
// K is drawn, in an order in which it has few entries off the edges, and taken with a probability that these give.
// Where too many tries fail, sweeps of Gibbs sampling take the best of them to the distribution, up to an error
// that vanishes with their number.
class ScaledGWishart {
 public:
  void draw(const BitMatrix& adjacent, double b, double scale, Stream& random, Precision& out);

 private:
  void plan(const BitMatrix& adjacent);
  double attempt(double b, Stream& random);
  void finish(double scale, Precision& out);

  std::size_t n_ = 0;
  // Nodes in the order of elimination, the later neighbours of each place, and the places off the edges that
  // elimination fills, row by row.
  NodeSequence order_;
  std::vector<NodeSequence> later_, filled_;
  std::size_t n_filled_ = 0;
  SquareMatrix phi_, inverse_;
  PrecisionGibbs gibbs_;
};

// An order in which the fewest neighbours come first; `fill` gets the pairs that are joined on the way.
NodeSequence elimination_order(BitMatrix adjacent, std::vector<std::pair<std::size_t, std::size_t>>& fill);

}  // namespace dagathlon
