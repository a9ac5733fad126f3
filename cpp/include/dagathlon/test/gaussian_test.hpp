// Tests of zero partial correlation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/test/independence.hpp"

namespace dagathlon {

enum class GaussianStatistic : std::uint8_t {
  fisher_z,     // atanh(r) √(n-k-3), normal
  correlation,  // r, Student's t with n-k-2 degrees of freedom
  information,  // -n log(1-r²), chi-square with one degree of freedom
  shrunk        // the same from a correlation matrix shrunk towards independence
};

struct GaussianOptions {
  GaussianStatistic statistic = GaussianStatistic::fisher_z;
  // |r| is cut here before Fisher's z is taken; 1 leaves it alone.
  double largest_correlation = 1.0;
};

// The statistic, its degrees of freedom and p-value for a partial correlation given k variables in
// n rows.
TestResult gaussian_result(const PartialCorrelation& r, std::size_t n, std::size_t k, const GaussianOptions& options);

// Squares of the largest correlations that pass for zero.
class CriticalSquares {
 public:
  CriticalSquares(std::size_t rows, GaussianOptions options) : rows_(rows), options_(options) {}
  // Given k variables; below 0 when the rows do not suffice for a test.
  double operator()(std::size_t k, double alpha);

 private:
  std::size_t rows_;
  GaussianOptions options_;
  double alpha_ = -1;
  std::vector<double> known_;
};

// On complete data: one correlation matrix answers every question.
class GaussianTest : public IndependenceTest, public SetQuestions, public SingleSearch {
 public:
  // Variables from which on their correlations do not stay in a processor's own memory.
  static constexpr std::size_t many_columns = 400;

  GaussianTest(std::span<const ValueColumn> columns, std::size_t rows, GaussianOptions options);
  GaussianTest(SymmetricMatrix correlation, std::size_t rows, GaussianOptions options);
  GaussianTest(const GaussianTest&) = delete;
  GaussianTest& operator=(const GaussianTest&) = delete;

  std::size_t size() const override { return correlation_.size(); }
  std::optional<std::vector<std::size_t>> separator(std::size_t x, std::size_t y, const SubsetSearch& search,
                                                    double alpha) override;
  bool separable(std::size_t x, std::size_t y, const SetSizes& sets, double alpha) override;
  GivenOne given_one(std::size_t x, std::size_t y, Nodes nodes, double alpha) override;
  double weakest(std::size_t x, std::size_t y, std::size_t with, const SubsetSearch& search, double alpha) override;
  SetQuestions* set_questions() override { return this; }
  SingleSearch* single_search() override { return plain_variances_ && size() >= many_columns ? this : nullptr; }
  void keep(std::size_t x, std::span<const std::uint32_t> nodes, std::span<double> to) const override;
  std::size_t single_separator(std::size_t x, std::size_t y, const Around& around, ConstRow tried,
                               double alpha) override;
  const SymmetricMatrix& correlation() const { return correlation_; }
  std::size_t rows() const { return rows_; }
  // Counts as a test: whether a correlation given k variables, found elsewhere, passes for zero.
  bool passes(const PartialCorrelation& r, std::size_t k, double alpha);

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;
  bool accepts(std::size_t x, std::size_t y, Nodes given, double alpha) override;
  TestResult run_below(std::size_t x, std::size_t y, Nodes given, double alpha) override;
  std::unique_ptr<IndependenceTest> make_twin() const override;

 private:
  friend class SubsetTree;
  friend class EverySubset;
  GaussianTest(std::shared_ptr<const SymmetricMatrix> correlation, std::size_t rows, GaussianOptions options);
  bool decide(const PartialCorrelation& r, std::size_t k, double alpha);

  // One matrix for all twins.
  std::shared_ptr<const SymmetricMatrix> shared_;
  const SymmetricMatrix& correlation_;
  // Its diagonal: in a large matrix the cells lie far apart.
  std::vector<double> own_;
  // Whether all are 1, or 0 of a constant column, which correlates with nothing and takes nothing away.
  bool plain_variances_;
  std::size_t rows_;
  GaussianOptions options_;
  PartialCorrelations partial_;
  CriticalSquares critical_square_;
  // What a search over sets keeps of its branches.
  std::vector<double> levels_;
};

// Correlations of the rows that are complete in the variables of each test (test-wise deletion), or
// shrunk for the variables of each test.
class RowwiseGaussianTest : public IndependenceTest {
 public:
  RowwiseGaussianTest(std::span<const ValueColumn> columns, std::size_t rows, GaussianOptions options);

  std::size_t size() const override { return missing_.size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  ValueColumn column(std::size_t j) const { return {values_.data() + j * rows_, 1}; }

  std::vector<double> values_;
  std::size_t rows_;
  GaussianOptions options_;
  std::vector<BitSet> missing_;
  std::vector<std::size_t> complete_;
};

}  // namespace dagathlon
