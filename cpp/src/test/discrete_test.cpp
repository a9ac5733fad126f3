#include "dagathlon/test/discrete_test.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/stats/normal.hpp"
#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

constexpr double rows_per_cell = 5;
constexpr double rows_per_df = 10;
constexpr std::size_t most_given_by_pcalg = 4;
// Decisions this near to the critical value are made on the p-value itself.
constexpr double margin_of_decision = 1e-9;

// The cells of the levels of x and of y that have on average at least one row in each cell of theirs;
// margins and total remain those of the whole slice. Nothing is left of a slice with fewer rows than
// cells.
Slice frequent_part(const Slice& whole, TrimmedSlice& to) {
  const auto kept = [](const Tally* margin, std::size_t levels, std::size_t cells, std::vector<Tally>& margins) {
    std::vector<std::size_t> result;
    margins.clear();
    for (std::size_t k = 0; k < levels; ++k)
      if (margin[k] >= cells) {
        result.push_back(k);
        margins.push_back(margin[k]);
      }
    return result;
  };
  if (whole.total < whole.x_levels * whole.y_levels) return {0, 0, nullptr, nullptr, nullptr, 0};
  const std::vector<std::size_t> rows = kept(whole.x_margin, whole.x_levels, whole.y_levels, to.x_margin);
  const std::vector<std::size_t> columns = kept(whole.y_margin, whole.y_levels, whole.x_levels, to.y_margin);
  if (rows.size() < 2 || columns.size() < 2) return {0, 0, nullptr, nullptr, nullptr, 0};
  to.cells.clear();
  for (const std::size_t a : rows)
    for (const std::size_t b : columns) to.cells.push_back(whole.cells[a * whole.y_levels + b]);
  return {rows.size(), columns.size(), to.cells.data(), to.x_margin.data(), to.y_margin.data(), whole.total};
}

bool by_slice(DegreesOfFreedom df) {
  return df == DegreesOfFreedom::occupied || df == DegreesOfFreedom::adjusted || df == DegreesOfFreedom::observed;
}

constexpr TestResult untestable(double df) { return {0.0, df, 1.0, false}; }

}  // namespace

DiscreteTest::DiscreteTest(DiscreteData data, DiscreteOptions options)
    : DiscreteTest(std::make_shared<const DiscreteData>(std::move(data)), options) {}

DiscreteTest::DiscreteTest(std::shared_ptr<const DiscreteData> data, DiscreteOptions options)
    : shared_(std::move(data)), data_(*shared_), options_(options), counter_(data_), logs_(data_.observations()) {}

std::unique_ptr<IndependenceTest> DiscreteTest::make_twin() const {
  return std::unique_ptr<IndependenceTest>(new DiscreteTest(shared_, options_));
}

double DiscreteTest::full_df(std::size_t x, std::size_t y, Nodes given) const {
  double df = static_cast<double>((data_.arity(x) - 1) * (data_.arity(y) - 1));
  for (const std::size_t z : given) df *= static_cast<double>(data_.arity(z));
  return df;
}

double DiscreteTest::cells(std::size_t x, std::size_t y, Nodes given) const {
  double count = static_cast<double>(data_.arity(x) * data_.arity(y));
  for (const std::size_t z : given) count *= static_cast<double>(data_.arity(z));
  return count;
}

TableSums DiscreteTest::sums(std::size_t x, std::size_t y, Nodes given) {
  pulse::beat(data_.rows());
  TableSums s;
  const DiscreteStatistic kind = options_.statistic;
  counter_.slices(x, y, given, [&](const Slice& whole) {
    const Slice slice = options_.df == DegreesOfFreedom::observed ? frequent_part(whole, trimmed_) : whole;
    s.rows += whole.total;
    s.configurations += 1;
    if (slice.total == 0) return;
    if (kind == DiscreteStatistic::g_square) s.information += slice_information(slice, logs_);
    if (kind == DiscreteStatistic::chi_square) s.chi_square += slice_chi_square(slice);
    if (kind == DiscreteStatistic::ordered_pairs) {
      const OrderedPairs pairs = slice_ordered_pairs(slice);
      s.pairs.excess += pairs.excess;
      s.pairs.variance += pairs.variance;
    }
    if (kind == DiscreteStatistic::shrunk_g_square)
      for (std::size_t c = 0; c < slice.x_levels * slice.y_levels; ++c)
        s.squared_counts += static_cast<double>(slice.cells[c]) * slice.cells[c];
    if (by_slice(options_.df)) s.adjusted_df += static_cast<double>(slice_adjusted_df(slice));
    if (options_.df == DegreesOfFreedom::ten_rows_less_empty)
      s.empty_cells += static_cast<double>(slice_empty_cells(slice));
  });
  return s;
}

// G² of cell probabilities shrunk towards the uniform distribution (Hausser and Strimmer 2009).
double DiscreteTest::shrunk_statistic(std::size_t x, std::size_t y, Nodes given, const TableSums& s) {
  const double n = s.rows;
  const double uniform = 1.0 / cells(x, y, given);
  const double squares = s.squared_counts / (n * n);
  const double intensity = (1.0 - squares) / ((n - 1.0) * (squares - uniform));
  const double weight = intensity >= 0.0 && intensity < 1.0 ? intensity : 1.0;
  const auto shrunk = [&](double count, double cell_count) {
    return (1.0 - weight) * count / n + weight * uniform * cell_count;
  };
  double sum = 0;
  counter_.slices(x, y, given, [&](const Slice& slice) {
    const auto x_levels = static_cast<double>(slice.x_levels);
    const auto y_levels = static_cast<double>(slice.y_levels);
    const double total = shrunk(slice.total, x_levels * y_levels);
    for (std::size_t a = 0; a < slice.x_levels; ++a) {
      const double row = shrunk(slice.x_margin[a], y_levels);
      for (std::size_t b = 0; b < slice.y_levels; ++b) {
        const double cell = shrunk(slice.cells[a * slice.y_levels + b], 1.0);
        if (cell > 0) sum += cell * portable_log(cell * total / (row * shrunk(slice.y_margin[b], x_levels)));
      }
    }
  });
  return 2.0 * n * sum;
}

double DiscreteTest::statistic_of(const TableSums& s, std::size_t x, std::size_t y, Nodes given) {
  switch (options_.statistic) {
    case DiscreteStatistic::g_square: return std::max(2.0 * s.information, 0.0);
    case DiscreteStatistic::chi_square: return s.chi_square;
    default: return std::max(shrunk_statistic(x, y, given, s), 0.0);
  }
}

double DiscreteTest::df_of(const TableSums& s, std::size_t x, std::size_t y, Nodes given) const {
  const double full = full_df(x, y, given);
  if (by_slice(options_.df)) return s.adjusted_df;
  if (options_.df != DegreesOfFreedom::ten_rows_less_empty || given.empty()) return full;
  // pcalg's count is right for binary variables and differs from the number of empty cells otherwise.
  const double slice_cells = cells(x, y, {});
  const double configurations = cells(x, y, given) / slice_cells;
  const double absent = (configurations - s.configurations) * slice_cells +
                        4.0 * (std::exp2(static_cast<double>(given.size())) - configurations);
  return std::max(full - (s.empty_cells + absent), 1.0);
}

bool DiscreteTest::too_few_rows(const TableSums& s, std::size_t x, std::size_t y, Nodes given) const {
  switch (options_.df) {
    case DegreesOfFreedom::ten_rows: return s.rows < rows_per_df * full_df(x, y, given);
    case DegreesOfFreedom::ten_rows_to_four:
    case DegreesOfFreedom::ten_rows_less_empty:
      return given.size() > most_given_by_pcalg || s.rows < rows_per_df * full_df(x, y, given);
    case DegreesOfFreedom::adjusted: return s.rows < rows_per_cell * cells(x, y, given);
    default: return false;
  }
}

TestResult DiscreteTest::statistic(std::size_t x, std::size_t y, Nodes given, bool& needs_tail) {
  needs_tail = false;
  if (full_df(x, y, given) == 0) return untestable(0);
  const TableSums s = sums(x, y, given);
  if (s.rows == 0) return untestable(full_df(x, y, given));
  if (options_.statistic == DiscreteStatistic::ordered_pairs) {
    if (!(s.pairs.variance > 0)) return untestable(0);
    const double z = s.pairs.excess / std::sqrt(s.pairs.variance);
    return {z, 0.0, normal_two_sided(z)};
  }
  const double df = df_of(s, x, y, given);
  if (df == 0) return untestable(0);
  if (too_few_rows(s, x, y, given)) return {0.0, df, 1.0};
  needs_tail = true;
  return {statistic_of(s, x, y, given), df, 1.0};
}

TestResult DiscreteTest::run(std::size_t x, std::size_t y, Nodes given) {
  bool needs_tail = false;
  TestResult result = statistic(x, y, given, needs_tail);
  if (needs_tail) result.p_value = chi_square_tail(result.statistic, result.df);
  return result;
}

bool DiscreteTest::accepts(std::size_t x, std::size_t y, Nodes given, double alpha) {
  bool needs_tail = false;
  TestResult result = statistic(x, y, given, needs_tail);
  if (!needs_tail) return verdict(result, alpha);
  const double limit = critical(result.df, alpha);
  if (std::fabs(result.statistic - limit) > margin_of_decision * limit) return result.statistic < limit;
  return chi_square_tail(result.statistic, result.df) >= alpha;
}

double DiscreteTest::critical(double df, double alpha) {
  if (!(alpha > 0 && alpha < 1)) return alpha > 0 ? 0.0 : HUGE_VAL;
  if (alpha != alpha_) critical_.clear();
  alpha_ = alpha;
  const auto [place, is_new] = critical_.try_emplace(df, 0.0);
  if (is_new) place->second = chi_square_critical(alpha, df);
  return place->second;
}

}  // namespace dagathlon
