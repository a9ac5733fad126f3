// Tests of zero partial correlation with so many columns that there is no room for all correlations.
#pragma once

#include <memory>
#include <vector>

#include "dagathlon/test/gaussian_test.hpp"

namespace dagathlon {

// Keeps the columns, and takes the correlations that a question is about. Answers are to the last digit those of a
// GaussianTest. Pairs without given variables are best asked for in the order of the first.
class WideGaussianTest : public IndependenceTest, private SetQuestions {
 public:
  // Columns from which on the matrix of correlations would take more than a gigabyte.
  static constexpr std::size_t usual_columns = 11585;

  WideGaussianTest(std::span<const ValueColumn> columns, std::size_t rows, GaussianOptions options);

  std::size_t size() const override { return columns_->size(); }
  SetQuestions* set_questions() override { return this; }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;
  bool accepts(std::size_t x, std::size_t y, Nodes given, double alpha) override;
  std::unique_ptr<IndependenceTest> make_twin() const override;

 private:
  GivenOne given_one(std::size_t x, std::size_t y, Nodes nodes, double alpha) override {
    return given_each(x, y, nodes, alpha);
  }
  bool separable(std::size_t x, std::size_t y, const SetSizes& sets, double alpha) override {
    return separable_by_size(x, y, sets, alpha);
  }
  double weakest(std::size_t x, std::size_t y, std::size_t with, const SubsetSearch& search, double alpha) override {
    return weakest_of_each(x, y, with, search, alpha);
  }
  std::optional<std::vector<std::size_t>> separator(std::size_t x, std::size_t y, const SubsetSearch& search,
                                                    double alpha) override;
  WideGaussianTest(std::shared_ptr<const CentredColumns> columns, GaussianOptions options);
  // A test of these columns alone, which are numbered anew.
  GaussianTest among(Nodes nodes, bool with_each_other) const;
  double marginal(std::size_t x, std::size_t y);

  std::shared_ptr<const CentredColumns> columns_;
  GaussianOptions options_;
  CriticalSquares critical_square_;
  // Correlations of a few columns with all behind the first of them.
  std::size_t strip_first_ = no_node;
  std::vector<double> strip_;
};

}  // namespace dagathlon
