// Independence as a score sees it: a parent more does not pay.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "dagathlon/test/independence.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

// x and y are independent given S when y scores no better with S and x as parents than with S alone. The
// statistic is the gain; the p-value is 0 or 1, so that no level of significance matters.
class ScoreTest : public IndependenceTest {
 public:
  explicit ScoreTest(std::shared_ptr<Score> score) : score_(std::move(score)) {}

  std::size_t size() const override { return score_->size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override {
    parents_.assign(given.begin(), given.end());
    std::ranges::sort(parents_);
    const double without = score_->local(y, parents_);
    parents_.insert(std::ranges::lower_bound(parents_, x), x);
    const double gain = score_->local(y, parents_) - without;
    // A parent that changes nothing is constant, or one the data cannot have.
    if (std::isnan(gain) || gain == 0.0) return {0.0, 0.0, 1.0, false};
    return {gain, 0.0, gain > 0.0 ? 0.0 : 1.0};
  }

 private:
  std::shared_ptr<Score> score_;
  std::vector<std::size_t> parents_;
};

}  // namespace dagathlon
