// Tests that minors of a covariance matrix vanish: tetrads, which are 0 where four variables have one
// common cause, and sextads, which are 0 where six have two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dagathlon {

using Members = std::span<const std::size_t>;

enum class MinorTest : std::uint8_t {
  wishart,        // normal data, each of the three tetrads by itself
  two_wishart,    // the first two of them
  delta,          // any distribution, two tetrads together
  partial_delta,  // the same as if the first product of each tetrad were known without error
  sextad          // any distribution, five sextads together
};

// What is known of the data: correlations of p variables, and means of products of four standardised
// ones, by pairs (i < j, row by row), empty where the test needs none.
struct SampleMoments {
  std::size_t variables = 0;
  double rows = 0;
  std::span<const double> correlations;
  std::span<const double> fourth;

  double r(std::size_t i, std::size_t j) const { return correlations[i * variables + j]; }
  std::size_t pair(std::size_t i, std::size_t j) const;
  // Covariance, times the rows, of two sample covariances.
  double spread(std::size_t a, std::size_t b, double r_a, double r_b) const;
};

class VanishingMinors {
 public:
  // Minors vanish while their statistic is below the critical value of the test.
  VanishingMinors(const SampleMoments& moments, MinorTest test, double critical)
      : moments_(moments), test_(test), critical_(critical) {}

  // Four variables, of which the first two make a pair in the tests that treat pairs differently; six
  // in any order.
  bool vanish(Members members);
  // Chi-square statistic, of one degree of freedom, of r_ij r_kl = r_ik r_jl; for tests of tetrads.
  double tetrad(std::size_t i, std::size_t j, std::size_t k, std::size_t l);
  std::size_t tests() const { return tests_; }

 private:
  bool tetrads_by_wishart(Members m, std::size_t count) const;
  double wishart(std::size_t i, std::size_t j, std::size_t k, std::size_t l) const;
  double tetrads_by_delta(Members m, bool partial) const;
  double tetrad_by_delta(Members m) const;
  bool sextads_vanish(Members m);
  double sextads(std::span<const std::size_t, 6> m) const;

  SampleMoments moments_;
  MinorTest test_;
  double critical_;
  std::size_t tests_ = 0;
  std::unordered_map<std::uint64_t, bool> sextets_;
};

// A set of up to five variables (or six of fewer than 1024) as one number.
std::uint64_t set_key(Members sorted);

}  // namespace dagathlon
