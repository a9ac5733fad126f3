// Randomised tests of conditional independence by Fourier features (Strobl, Zhang and Visweswaran 2019).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/test/independence.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

struct FourierOptions {
  // Whether y is joined with the given variables (RCIT), as in the kernel test, or not (RCoT).
  bool joined = true;
  std::uint64_t seed = 0;
};

// A kernel is replaced by a few random cosines of the variables, so that the work grows with the rows and
// not with their cube. The cosines of a set of variables depend on the seed and the set, not on what was
// asked before.
class FourierTest : public IndependenceTest {
 public:
  FourierTest(std::span<const ValueColumn> columns, std::size_t rows, FourierOptions options);

  std::size_t size() const override { return constant_.size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  // One feature after the other, each with mean zero and variance one.
  using Features = std::vector<double>;
  // The features of the given variables and the inverse of their covariances.
  struct Given {
    Features features;
    SquareMatrix inverse;
    std::size_t count;
  };

  Features features(const std::vector<std::size_t>& columns, std::size_t count) const;
  // The median distance of the first rows.
  double width(const std::vector<std::size_t>& columns) const;
  std::shared_ptr<const Given> given_features(const std::vector<std::size_t>& columns);
  // What linear regression on the features of the given variables leaves.
  Features residuals(const Features& of, const Given& given) const;
  TestResult judged(const Features& x, const Features& rest_x, const Features& rest_y) const;

  std::size_t rows_;
  FourierOptions options_;
  std::vector<double> values_;
  std::vector<bool> constant_;
  std::map<std::vector<std::size_t>, std::shared_ptr<const Given>> known_;
};

}  // namespace dagathlon
