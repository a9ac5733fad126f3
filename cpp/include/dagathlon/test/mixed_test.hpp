// The likelihood ratio test for discrete and continuous variables together.
#pragma once

#include <vector>

#include "dagathlon/data/counting.hpp"
#include "dagathlon/data/covariance.hpp"
#include "dagathlon/test/independence.hpp"

namespace dagathlon {

// Where a variable of a mixed data set is found: among the discrete or among the continuous columns.
struct MixedVariable {
  bool discrete;
  std::size_t column;
};

// Conditional Gaussian models: in every configuration of the discrete variables the continuous ones are
// normal with a mean and covariance of their own. The statistic is twice the log of
// L(x,y,S) L(S) / (L(x,S) L(y,S)); with discrete variables only it is G², with continuous ones only
// -n log(1-r²). Where a configuration has too few rows for a covariance of its own, it has that of the
// configuration of S around it. Rows with a missing value are left out of a test.
class MixedTest : public IndependenceTest {
 public:
  MixedTest(DiscreteData data, std::span<const ValueColumn> columns, std::size_t rows,
            std::vector<MixedVariable> variables);
  MixedTest(const MixedTest&) = delete;
  MixedTest& operator=(const MixedTest&) = delete;
  std::size_t size() const override { return variables_.size(); }

 protected:
  struct Parts {
    std::vector<std::size_t> discrete;
    std::vector<std::size_t> continuous;
  };

  TestResult run(std::size_t x, std::size_t y, Nodes given) override;
  Parts parts(Nodes variables) const;
  std::vector<std::size_t> complete_rows(const Parts& all) const;

  DiscreteData data_;
  std::size_t rows_;
  std::vector<double> values_;
  std::vector<MixedVariable> variables_;

 private:
  double log_likelihood(Nodes variables, Nodes rows, Nodes around) const;
  double parameters(Nodes variables) const;
};

}  // namespace dagathlon
