// The degenerate Gaussian likelihood ratio test for mixed data (Andrews, Ramsey and Cooper 2019).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/test/independence.hpp"

namespace dagathlon {

// How the likelihood ratio is brought to a chi-square distribution.
enum class RatioScale : std::uint8_t {
  rows,     // times the number of rows: right for many rows
  bartlett  // times n - 1 - k - (p + q + 1)/2, for p and q columns given k (Bartlett 1938)
};

// Every variable is one or more columns: indicators of all levels but one, or its values. All columns
// are taken for jointly normal. The columns of variable j are starts[j] up to starts[j + 1].
class DegenerateGaussianTest : public IndependenceTest {
 public:
  DegenerateGaussianTest(std::span<const ValueColumn> columns, std::size_t rows, std::vector<std::size_t> starts,
                         RatioScale scale);

  std::size_t size() const override { return starts_.size() - 1; }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  SymmetricMatrix correlation_;
  std::size_t rows_;
  std::vector<std::size_t> starts_;
  RatioScale scale_;
};

// The same on the rows that have no gap in the variables of each test; a gap is NaN in every column of
// its variable.
class RowwiseDegenerateTest : public IndependenceTest {
 public:
  RowwiseDegenerateTest(std::span<const ValueColumn> columns, std::size_t rows, std::vector<std::size_t> starts,
                        RatioScale scale);

  std::size_t size() const override { return starts_.size() - 1; }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  std::vector<std::size_t> complete_rows(Nodes columns) const;

  std::vector<double> values_;
  std::size_t rows_;
  std::vector<std::size_t> starts_;
  RatioScale scale_;
};

}  // namespace dagathlon
