// The posterior probability of independence in every slice of a table.
#pragma once

#include "dagathlon/data/counting.hpp"
#include "dagathlon/test/independence.hpp"

namespace dagathlon {

// Two variables are independent given others when they are in each observed configuration of these; in each
// they may be dependent or not for itself, with a prior that makes independence in all as probable as said.
// Each configuration has Dirichlet parameters of its own, with the sums of BDeu. The statistic is the
// logarithm of the posterior odds of independence, the "p-value" its posterior probability.
class SlicePosteriorTest : public IndependenceTest {
 public:
  SlicePosteriorTest(DiscreteData data, double prior, double iss);
  SlicePosteriorTest(const SlicePosteriorTest&) = delete;
  SlicePosteriorTest& operator=(const SlicePosteriorTest&) = delete;

  std::size_t size() const override { return data_.size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  DiscreteData data_;
  double log_prior_;
  double iss_;
  Counter counter_;
};

}  // namespace dagathlon
