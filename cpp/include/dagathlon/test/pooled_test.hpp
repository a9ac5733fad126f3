// One answer from tests on several imputed data sets.
#pragma once

#include <memory>
#include <vector>

#include "dagathlon/test/independence.hpp"

namespace dagathlon {

// Rubin's rules (1987) for Fisher's z: the mean over data sets over its standard error, which has the
// variance within data sets and that between them; Student's t.
class PooledFisherTest : public IndependenceTest {
 public:
  explicit PooledFisherTest(std::vector<std::unique_ptr<IndependenceTest>> each) : each_(std::move(each)) {}
  std::size_t size() const override { return each_[0]->size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  // Tests of the plain Fisher's z.
  std::vector<std::unique_ptr<IndependenceTest>> each_;
};

// Likelihood ratios pooled as Meng and Rubin (1992) do, with the parameters of all data sets together
// as the common ones (Chan and Meng 2022); F distribution.
class PooledLikelihoodTest : public IndependenceTest {
 public:
  PooledLikelihoodTest(std::vector<std::unique_ptr<IndependenceTest>> each, std::unique_ptr<IndependenceTest> stacked)
      : each_(std::move(each)), stacked_(std::move(stacked)) {}
  std::size_t size() const override { return stacked_->size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  std::vector<std::unique_ptr<IndependenceTest>> each_;
  std::unique_ptr<IndependenceTest> stacked_;
};

}  // namespace dagathlon
