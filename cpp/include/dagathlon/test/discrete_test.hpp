// Tests on contingency tables.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "dagathlon/data/counting.hpp"
#include "dagathlon/test/independence.hpp"
#include "dagathlon/test/slice_statistics.hpp"

namespace dagathlon {

enum class DiscreteStatistic : std::uint8_t { g_square, chi_square, shrunk_g_square, ordered_pairs };

enum class DegreesOfFreedom : std::uint8_t {
  full,                // (levels of x - 1)(levels of y - 1) × configurations
  occupied,            // of the levels that occur in each slice (Tetrad 6)
  adjusted,            // the same; below five rows per cell no test (bnlearn)
  observed,            // of the levels with a row per cell on average in each slice; the others are left out (Tetrad 7)
  ten_rows,            // full; with fewer than ten rows for each, independence (pcalg's binCItest)
  ten_rows_to_four,    // the same; five given variables and more always separate, by a slip of pcalg's disCItest
  ten_rows_less_empty  // the same, less one for every empty cell (adaptDF of disCItest)
};

struct DiscreteOptions {
  DiscreteStatistic statistic = DiscreteStatistic::g_square;
  DegreesOfFreedom df = DegreesOfFreedom::full;
};

// Sums over the slices of one table.
struct TableSums {
  double rows = 0;
  double information = 0;
  double chi_square = 0;
  OrderedPairs pairs;
  double squared_counts = 0;
  double adjusted_df = 0;
  double empty_cells = 0;
  double configurations = 0;
};

// Memory of a slice from which levels were left out.
struct TrimmedSlice {
  std::vector<Tally> cells;
  std::vector<Tally> x_margin;
  std::vector<Tally> y_margin;
};

// Rows with a missing value in the variables of a test are left out of that test.
class DiscreteTest : public IndependenceTest {
 public:
  DiscreteTest(DiscreteData data, DiscreteOptions options);
  DiscreteTest(const DiscreteTest&) = delete;
  DiscreteTest& operator=(const DiscreteTest&) = delete;

  std::size_t size() const override { return data_.size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;
  bool accepts(std::size_t x, std::size_t y, Nodes given, double alpha) override;
  std::unique_ptr<IndependenceTest> make_twin() const override;

 private:
  DiscreteTest(std::shared_ptr<const DiscreteData> data, DiscreteOptions options);
  // The statistic and its degrees of freedom; a p-value only where it is not that of chi-square.
  TestResult statistic(std::size_t x, std::size_t y, Nodes given, bool& needs_tail);
  double statistic_of(const TableSums& s, std::size_t x, std::size_t y, Nodes given);
  double df_of(const TableSums& s, std::size_t x, std::size_t y, Nodes given) const;
  // Too few for a decision: then independence is accepted.
  bool too_few_rows(const TableSums& s, std::size_t x, std::size_t y, Nodes given) const;
  TableSums sums(std::size_t x, std::size_t y, Nodes given);
  double shrunk_statistic(std::size_t x, std::size_t y, Nodes given, const TableSums& sums);
  double full_df(std::size_t x, std::size_t y, Nodes given) const;
  double cells(std::size_t x, std::size_t y, Nodes given) const;
  double critical(double df, double alpha);

  // One copy of the data for all twins.
  std::shared_ptr<const DiscreteData> shared_;
  const DiscreteData& data_;
  DiscreteOptions options_;
  Counter counter_;
  LogTable logs_;
  TrimmedSlice trimmed_;
  double alpha_ = -1;
  std::unordered_map<double, double> critical_;
};

}  // namespace dagathlon
