// Tests whose reference distribution comes from permutations of the data.
#pragma once

#include <cstdint>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/test/discrete_test.hpp"
#include "dagathlon/test/gaussian_test.hpp"
#include "dagathlon/test/independence.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

struct PermutationOptions {
  std::size_t replicates = 5000;
  std::uint64_t seed = 0;
  // The permutations estimate the degrees of freedom of a chi-square instead of the p-value.
  bool semiparametric = false;
};

// A p-value is the share of permutations whose statistic is at least the observed one. A decision stops
// as soon as the other permutations cannot change it. The permutations of a test are a function of the
// seed and of its variables, so neither the order of the tests nor that of x and y matters.
class PermutationTest : public IndependenceTest {
 public:
  explicit PermutationTest(PermutationOptions options) : permutations_(options) {}

 protected:
  // How a test begins, and the statistic of one more permutation.
  struct Observed {
    double statistic;
    double extremeness;  // what permutations are compared with
    bool defined;
  };
  virtual Observed observe(std::size_t x, std::size_t y, Nodes given) = 0;
  virtual double permuted(Stream& random) = 0;

  TestResult run(std::size_t x, std::size_t y, Nodes given) override;
  bool accepts(std::size_t x, std::size_t y, Nodes given, double alpha) override;

 private:
  Stream stream(std::size_t x, std::size_t y, Nodes given) const;

  PermutationOptions permutations_;
};

// Random tables with the margins of each slice.
class DiscretePermutationTest : public PermutationTest {
 public:
  DiscretePermutationTest(DiscreteData data, DiscreteStatistic statistic, PermutationOptions options);
  DiscretePermutationTest(const DiscretePermutationTest&) = delete;
  DiscretePermutationTest& operator=(const DiscretePermutationTest&) = delete;
  std::size_t size() const override { return data_.size(); }

 protected:
  Observed observe(std::size_t x, std::size_t y, Nodes given) override;
  double permuted(Stream& random) override;

 private:
  // A slice with margins of its own, whose cells are drawn anew.
  struct Table {
    std::vector<Tally> x_margin;
    std::vector<Tally> y_margin;
    std::vector<Tally> cells;
    Tally total;
    Slice slice() const {
      return {x_margin.size(), y_margin.size(), cells.data(), x_margin.data(), y_margin.data(), total};
    }
  };
  void draw(Table& table, Stream& random);
  std::size_t hypergeometric(std::size_t total, std::size_t marked, std::size_t drawn, Stream& random) const;
  double statistic() const;

  DiscreteData data_;
  DiscreteStatistic statistic_;
  Counter counter_;
  LogTable logs_;
  std::vector<double> log_factorials_;
  std::vector<Table> tables_;
  std::vector<Tally> rest_;
};

// Permutations of what is left of x after regression on the given variables.
class GaussianPermutationTest : public PermutationTest {
 public:
  GaussianPermutationTest(std::span<const ValueColumn> columns, std::size_t rows, GaussianOptions gaussian,
                          PermutationOptions options);
  std::size_t size() const override { return columns_; }

 protected:
  Observed observe(std::size_t x, std::size_t y, Nodes given) override;
  double permuted(Stream& random) override;

 private:
  ValueColumn column(std::size_t j) const { return {values_.data() + j * rows_, 1}; }
  std::vector<std::size_t> complete_rows(std::size_t x, std::size_t y, Nodes given) const;

  std::size_t columns_;
  std::size_t rows_;
  GaussianOptions gaussian_;
  std::vector<double> values_;
  std::vector<double> x_rest_;
  std::vector<double> y_rest_;
};

}  // namespace dagathlon
