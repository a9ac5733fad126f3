// The ratio of the normalising constants of two G-Wishart distributions whose graphs differ by one edge.
//
// It is a known function of the number of common neighbours where these are mutually adjacent and separate the
// two ends; elsewhere that function is close (Mohammadi, Massam and Letac 2021), and an auxiliary draw makes a
// step that uses it exact (the exchange algorithm of Murray, Ghahramani and MacKay 2006).
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/undirected/g_wishart.hpp"
#include "dagathlon/undirected/precision_gibbs.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// What one pair of nodes adds to the density of all other entries of a precision matrix but the second node's
// own: the logarithm of the integral over the entry of the pair, relative to its absence.
struct PairEntries {
  double precision;         // k_ij
  double covariance;        // of i and j
  double first, second;     // variances of i and j
  double scale, scale_own;  // D_ij, D_jj
};
double log_pair_integral(const PairEntries& entries);

class ConstantRatio {
 public:
  // Of b degrees of freedom and the identity times a number.
  ConstantRatio(std::size_t n, double b, double scale);

  // The logarithm of the constant with the edge over that without, by the number of common neighbours.
  double log_ratio(std::size_t common) const { return log_ratios_[common]; }

  // Whether that is exact; the edge itself does not matter.
  static bool is_exact(const BitMatrix& adjacent, std::size_t i, std::size_t j);

  // Whether a change of an edge that was accepted by the function is to be kept: with the probability that
  // corrects it, by a draw from the prior of the graph after the change. i < j.
  bool keeps(const BitMatrix& adjacent, std::size_t i, std::size_t j, Stream& random);

 private:
  double log_auxiliary(const BitMatrix& core, std::size_t i, std::size_t j, Stream& random);

  double b_, scale_;
  std::vector<double> log_ratios_;
  ScaledGWishart sampler_;
  Precision auxiliary_;
};

}  // namespace dagathlon
