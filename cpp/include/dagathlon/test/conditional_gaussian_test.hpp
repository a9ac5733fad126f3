// The mutual information test for discrete and continuous variables together, as bnlearn defines it.
#pragma once

#include "dagathlon/test/mixed_test.hpp"

namespace dagathlon {

// A continuous variable is regressed on the continuous variables of S in each configuration of the
// discrete ones, with and without the other variable; its variance is that of unbiased estimation.
// Two discrete variables: G² given the discrete part of S, plus twice the gain in the likelihood of
// the continuous part of S when its distribution may depend on y. With discrete variables only it is
// G², with two continuous ones and nothing given -n log(1-r²). A configuration without degrees of
// freedom leaves the question open.
class ConditionalGaussianTest : public MixedTest {
 public:
  using MixedTest::MixedTest;

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  // A question about columns: of the codes, and of the values.
  struct Query {
    Parts given;
    std::vector<std::size_t> rows;
    double configurations;  // of the discrete part of S
  };

  TestResult of_continuous(std::size_t x, std::size_t y, const Query& query) const;
  TestResult of_mixed(std::size_t discrete, std::size_t continuous, const Query& query) const;
  TestResult of_discrete(std::size_t x, std::size_t y, const Query& query) const;

  double sum_of_counts(Nodes discrete, Nodes rows) const;
  double likelihood(std::size_t response, Nodes regressors, Nodes discrete, Nodes rows) const;
  double joint_likelihood(Nodes continuous, Nodes discrete, Nodes rows) const;
};

}  // namespace dagathlon
