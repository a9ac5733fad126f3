// The kernel test of conditional independence (Zhang, Peters, Janzing and Schölkopf 2011).
#pragma once

#include <span>
#include <vector>

#include "dagathlon/covariance.hpp"
#include "dagathlon/independence.hpp"
#include "dagathlon/square_matrix.hpp"

namespace dagathlon {

// Gaussian kernels of standardised columns, with the authors' widths; the distribution under
// independence is approximated by a gamma distribution with the same mean and variance. The work is
// cubic and the memory quadratic in the number of rows.
class KernelTest : public IndependenceTest {
 public:
  KernelTest(std::span<const ValueColumn> columns, std::size_t rows);

  std::size_t size() const override { return constant_.size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  // Squared distances of all rows in one column are added with a weight.
  void add_distances(SquareMatrix& distances, std::size_t column, double weight) const;
  SquareMatrix marginal(std::size_t column) const;
  TestResult unconditional(std::size_t x, std::size_t y) const;
  TestResult conditional(std::size_t x, std::size_t y, Nodes given) const;

  std::size_t rows_;
  std::vector<double> values_;
  std::vector<bool> constant_;
};

}  // namespace dagathlon
