// An undirected graph and a precision matrix with its zeros, as Markov chains over Gaussian graphical models
// change them.
//
// Given the graph, the precision matrix is G-Wishart: b degrees of freedom and the scale D a priori, b + n and
// D + S with n rows of data whose products sum to S. A pair of nodes i < j is looked at with its own entry and
// the second node's diagonal entry integrated out (Cheng and Lenkoski 2012): the odds of its edge are then a
// function of four entries of K and of its inverse, so that those of all pairs take O(n²) operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/undirected/constant_ratio.hpp"
#include "dagathlon/undirected/g_wishart.hpp"
#include "dagathlon/undirected/precision_gibbs.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

struct GaussianGraphPrior {
  // Probability of each edge, between 0 and 1.
  double edge_probability = 0.5;
  double b = 3;
  // The scale is the identity times this.
  double scale = 1;
  // Whether steps are made exact by auxiliary draws where the ratio of prior constants is not known.
  bool exchange = true;
};

class GaussianGraph {
 public:
  // The scatter is the row-major sum of products of so many rows; the precision matrix is drawn.
  GaussianGraph(const BitMatrix& start, const GaussianGraphPrior& prior, std::span<const double> scatter, double rows,
                Stream& random);

  // Other data under the same graph and precision matrix, as where latent values were drawn again.
  void replace(std::span<const double> scatter, double rows);

  std::size_t size() const { return adjacent_.size(); }
  std::size_t pairs() const { return size() * (size() - (size() > 0)) / 2; }
  const BitMatrix& adjacent() const { return adjacent_; }
  const GaussianGraphPrior& prior() const { return prior_; }
  const SquareMatrix& precision() const { return state_.precision; }
  const SquareMatrix& covariance() const { return state_.covariance; }
  // Of the posterior given the graph.
  double b() const { return prior_.b + rows_; }
  const SquareMatrix& scale() const { return scale_; }

  // Logarithm of the odds of an edge, given the other edges and entries; i < j. Exact up to the ratio of the
  // prior constants.
  double log_odds(std::size_t i, std::size_t j) const;
  // The odds for all j > i, into the places of j.
  void odds_of_row(std::size_t i, std::span<double> odds) const;

  // Changes an edge, unless the exchange says no, and draws the two entries anew; whether it was changed.
  bool change(std::size_t i, std::size_t j, Stream& random);

  // Draws the precision matrix given the graph, node by node.
  void refresh(Stream& random);

 private:
  void toggle(std::size_t i, std::size_t j);
  void draw_pair(std::size_t i, std::size_t j, Stream& random);

  GaussianGraphPrior prior_;
  BitMatrix adjacent_;
  // Common neighbours of each pair.
  std::vector<std::uint32_t> common_;
  double rows_ = 0;
  SquareMatrix scale_;
  Precision state_;
  ConstantRatio ratio_;
  // By number of common neighbours: prior odds over the ratio of constants, without and with logarithm.
  std::vector<double> log_bases_, bases_;
  PrecisionGibbs gibbs_;
  std::vector<double> old_, fresh_;
};

}  // namespace dagathlon
