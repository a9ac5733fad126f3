// The degenerate Gaussian likelihood ratio test for mixed data (Andrews, Ramsey and Cooper 2019).
#pragma once

#include <span>
#include <vector>

#include "dagathlon/covariance.hpp"
#include "dagathlon/independence.hpp"

namespace dagathlon {

// Every variable is one or more columns: indicators of all levels but one, or its values. All columns
// are taken for jointly normal.
class DegenerateGaussianTest : public IndependenceTest {
 public:
  // The columns of variable j are starts[j] up to starts[j + 1].
  DegenerateGaussianTest(std::span<const ValueColumn> columns, std::size_t rows, std::vector<std::size_t> starts);

  std::size_t size() const override { return starts_.size() - 1; }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  std::vector<std::size_t> columns_of(Nodes variables) const;

  SymmetricMatrix correlation_;
  std::size_t rows_;
  std::vector<std::size_t> starts_;
};

}  // namespace dagathlon
