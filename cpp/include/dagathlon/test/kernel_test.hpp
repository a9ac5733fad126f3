// The kernel test of conditional independence (Zhang, Peters, Janzing and Schölkopf 2011).
#pragma once

#include <span>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/test/independence.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// What a kernel test finds, and what it would find under independence; without a mean there is no answer.
struct KernelStatistic {
  double value = 0;
  double mean = 0;
  double variance = 0;
};

// The tail of the gamma distribution with this mean and variance.
TestResult gamma_result(const KernelStatistic& found);

// Gaussian kernels of standardised columns, with the authors' widths; the distribution under
// independence is approximated by a gamma distribution with the same mean and variance. The work is
// cubic and the memory quadratic in the number of rows.
class KernelTest : public IndependenceTest {
 public:
  KernelTest(std::span<const ValueColumn> columns, std::size_t rows);

  std::size_t size() const override { return constant_.size(); }
  KernelStatistic statistic(std::size_t x, std::size_t y, Nodes given) const;

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override { return gamma_result(statistic(x, y, given)); }

 private:
  // Squared distances of all rows in one column are added with a weight.
  void add_distances(SquareMatrix& distances, std::size_t column, double weight) const;
  SquareMatrix marginal(std::size_t column) const;
  KernelStatistic unconditional(std::size_t x, std::size_t y) const;
  KernelStatistic conditional(std::size_t x, std::size_t y, Nodes given) const;

  std::size_t rows_;
  std::vector<double> values_;
  std::vector<bool> constant_;
};

}  // namespace dagathlon
