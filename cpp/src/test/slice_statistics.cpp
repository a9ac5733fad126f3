#include "dagathlon/test/slice_statistics.hpp"

#include <algorithm>
#include <span>

#include "dagathlon/stats/normal.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t max_table = std::size_t{1} << 20;

struct TieSums {
  double pairs = 0;     // Σ t (t-1)
  double triples = 0;   // Σ t (t-1) (t-2)
  double weighted = 0;  // Σ t (t-1) (2t+5)
  double squares = 0;   // Σ t²
};

TieSums tie_sums(std::span<const Tally> margin) {
  TieSums sums;
  for (const Tally count : margin) {
    const double t = count;
    sums.pairs += t * (t - 1);
    sums.triples += t * (t - 1) * (t - 2);
    sums.weighted += t * (t - 1) * (2 * t + 5);
    sums.squares += t * t;
  }
  return sums;
}

// Pairs of rows of which one is higher in both x and y; ties in y count half.
double concordant_pairs(const Slice& slice) {
  std::vector<double> higher(slice.y_levels + 1, 0.0);
  std::vector<double> column(slice.y_levels, 0.0);
  double total = 0;
  for (std::size_t a = slice.x_levels; a-- > 0;) {
    const Tally* row = slice.cells + a * slice.y_levels;
    for (std::size_t b = 0; b < slice.y_levels; ++b) total += row[b] * (higher[b + 1] + 0.5 * column[b]);
    for (std::size_t b = 0; b < slice.y_levels; ++b) column[b] += row[b];
    higher[slice.y_levels] = 0;
    for (std::size_t b = slice.y_levels; b-- > 0;) higher[b] = higher[b + 1] + column[b];
  }
  return total;
}

std::size_t occupied(std::span<const Tally> margin) {
  return static_cast<std::size_t>(std::ranges::count_if(margin, [](Tally t) { return t > 0; }));
}

}  // namespace

LogTable::LogTable(std::size_t largest) : logs_(std::min(largest + 1, max_table)) {
  for (std::size_t k = 1; k < logs_.size(); ++k) logs_[k] = portable_log(static_cast<double>(k));
}

double LogTable::computed(Tally k) { return portable_log(k); }

double slice_information(const Slice& slice, const LogTable& logs) {
  double sum = 0;
  const double log_total = logs[slice.total];
  for (std::size_t a = 0; a < slice.x_levels; ++a) {
    if (slice.x_margin[a] == 0) continue;
    const double shared = log_total - logs[slice.x_margin[a]];
    for (std::size_t b = 0; b < slice.y_levels; ++b) {
      const Tally count = slice.cells[a * slice.y_levels + b];
      if (count > 0) sum += count * (shared + (logs[count] - logs[slice.y_margin[b]]));
    }
  }
  return sum;
}

double slice_chi_square(const Slice& slice) {
  double sum = 0;
  for (std::size_t a = 0; a < slice.x_levels; ++a) {
    if (slice.x_margin[a] == 0) continue;
    const double share = static_cast<double>(slice.x_margin[a]) / slice.total;
    for (std::size_t b = 0; b < slice.y_levels; ++b) {
      if (slice.y_margin[b] == 0) continue;
      const double expected = share * slice.y_margin[b];
      const double difference = slice.cells[a * slice.y_levels + b] - expected;
      sum += difference * difference / expected;
    }
  }
  return sum;
}

OrderedPairs slice_ordered_pairs(const Slice& slice) {
  const double n = slice.total;
  const TieSums x = tie_sums({slice.x_margin, slice.x_levels});
  const TieSums y = tie_sums({slice.y_margin, slice.y_levels});
  OrderedPairs result;
  result.excess = concordant_pairs(slice) - (n * n - x.squares) / 4;
  result.variance = (n * (n - 1) * (2 * n + 5) - x.weighted - y.weighted) / 72;
  if (n > 1) result.variance += x.pairs * y.pairs / (8 * n * (n - 1));
  if (n > 2) result.variance += x.triples * y.triples / (36 * n * (n - 1) * (n - 2));
  return result;
}

std::size_t slice_adjusted_df(const Slice& slice) {
  const std::size_t x_levels = occupied({slice.x_margin, slice.x_levels});
  const std::size_t y_levels = occupied({slice.y_margin, slice.y_levels});
  return x_levels > 0 && y_levels > 0 ? (x_levels - 1) * (y_levels - 1) : 0;
}

std::size_t slice_empty_cells(const Slice& slice) {
  const std::span cells(slice.cells, slice.x_levels * slice.y_levels);
  return static_cast<std::size_t>(std::ranges::count(cells, Tally{0}));
}

}  // namespace dagathlon
