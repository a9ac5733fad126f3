// Gaps in the data, what causes them, and tests that undo the bias of leaving rows out.
//
// Tu, Zhang, Ackermann, Bertilson, Glymour, Kjellström and Zhang 2019, "Causal discovery in the presence
// of missing data", AISTATS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/data/covariance.hpp"
#include "dagathlon/test/gaussian_test.hpp"
#include "dagathlon/test/independence.hpp"

namespace dagathlon {

// The candidates that no set of other candidates separates from the target, level by level. What
// cannot be tested counts as the test says.
std::vector<std::size_t> direct_neighbours(IndependenceTest& test, std::size_t target,
                                           std::vector<std::size_t> candidates, double alpha, std::size_t max_order);

// For each variable the rows without a value, and the variables on which it depends where they are.
struct Missingness {
  using NodeVector = std::vector<std::size_t>;

  std::vector<BitSet> missing;
  std::vector<NodeVector> causes;
  std::size_t rows = 0;

  // Causes of the gaps of some variables, in order.
  NodeVector causes_of(Nodes variables) const;
  // The variables with the causes of their gaps, the causes of the gaps of those, and so on.
  NodeVector closed(Nodes variables) const;
  NodeVector complete_rows(Nodes variables) const;
};

enum class Correction : std::uint8_t {
  // Complete rows are weighted by the inverse probability of being complete given its causes.
  density_ratio,
  // The other variables given the causes come from complete rows, the causes from all their rows: what
  // permuting the causes among the rows gives on average.
  permutation
};

// Gaps of causes are traced back this far. Variables that cause each other's gaps would lead in a circle.
inline constexpr std::size_t longest_chain_of_causes = 4;

// Where nothing causes the gaps of the variables of a test, the plain test answers.
class CorrectedTest : public IndependenceTest {
 public:
  CorrectedTest(IndependenceTest& plain, Missingness gaps, Correction correction)
      : plain_(plain), gaps_(std::move(gaps)), correction_(correction) {}

  std::size_t size() const override { return gaps_.causes.size(); }

 protected:
  using NodeVector = Missingness::NodeVector;

  TestResult run(std::size_t x, std::size_t y, Nodes given) override;
  // `family`: x, y and the given variables, in this order.
  virtual TestResult corrected(const NodeVector& family) = 0;
  // A number for each row that tells which rows agree in these variables, nearly so for continuous
  // ones; only the given rows are looked at.
  virtual std::vector<std::size_t> cells(const NodeVector& variables, const NodeVector& rows) const = 0;

  // The rows complete in the closed family, and their weights by inverse probabilities.
  struct WeightedRows {
    NodeVector rows;
    std::vector<double> weights;
    // The number of equally weighted rows that would be as good.
    double effective() const;
  };
  WeightedRows by_density_ratio(const NodeVector& family);

  IndependenceTest& plain_;
  Missingness gaps_;
  Correction correction_;

 private:
  // One over the probability that a variable is observed, for each row in which it is.
  const std::vector<double>& inverse_probability(std::size_t variable);

  std::vector<std::vector<double>> inverse_;
};

class CorrectedGaussianTest : public CorrectedTest {
 public:
  CorrectedGaussianTest(IndependenceTest& plain, std::span<const ValueColumn> columns, Missingness gaps,
                        Correction correction, GaussianOptions options);

 protected:
  TestResult corrected(const NodeVector& family) override;
  std::vector<std::size_t> cells(const NodeVector& variables, const NodeVector& rows) const override;

 private:
  // The covariance of some variables as it is in all rows, by the causes of their gaps.
  SymmetricMatrix covariance(const NodeVector& variables, std::size_t depth = 0) const;
  SymmetricMatrix given_causes(const NodeVector& variables, const NodeVector& causes, std::size_t depth) const;
  SymmetricMatrix of_complete_rows(const NodeVector& variables) const;
  ValueColumn column(std::size_t j) const { return {values_.data() + j * gaps_.rows, 1}; }

  std::vector<double> values_;
  GaussianOptions options_;
};

// G² with all degrees of freedom; with fewer than ten rows for each, independence.
class CorrectedDiscreteTest : public CorrectedTest {
 public:
  CorrectedDiscreteTest(IndependenceTest& plain, std::vector<std::vector<std::uint16_t>> codes,
                        std::vector<std::size_t> arities, Missingness gaps, Correction correction)
      : CorrectedTest(plain, std::move(gaps), correction), codes_(std::move(codes)), arities_(std::move(arities)) {}

 protected:
  TestResult corrected(const NodeVector& family) override;
  std::vector<std::size_t> cells(const NodeVector& variables, const NodeVector& rows) const override;

 private:
  WeightedRows by_causes(const NodeVector& variables, std::size_t depth = 0) const;
  double g_square(const NodeVector& family, const WeightedRows& sample) const;

  std::vector<std::vector<std::uint16_t>> codes_;
  std::vector<std::size_t> arities_;
};

}  // namespace dagathlon
