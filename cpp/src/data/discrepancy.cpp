#include "dagathlon/data/discrepancy.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/data/family_counts.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// A table of counts that can be read along either side.
struct Counts {
  const Tally* cells;
  std::size_t levels;
  std::size_t stride;
  std::size_t other_levels;
  std::size_t other_stride;
};

// From `levels` to `other_levels`; a level that never occurs says nothing.
double moved(const Counts& counts, std::vector<double>& share, std::vector<double>& margin) {
  share.assign(counts.other_levels, 0);
  margin.assign(counts.levels, 0);
  double total = 0;
  for (std::size_t a = 0; a < counts.levels; ++a)
    for (std::size_t b = 0; b < counts.other_levels; ++b) {
      const double n = counts.cells[a * counts.stride + b * counts.other_stride];
      margin[a] += n;
      share[b] += n;
      total += n;
    }
  double sum = 0;
  std::size_t seen = 0;
  for (std::size_t a = 0; a < counts.levels; ++a) {
    if (margin[a] == 0) continue;
    double distance = 0;
    double farthest = 0;
    for (std::size_t b = 0; b < counts.other_levels; ++b) {
      const double n = counts.cells[a * counts.stride + b * counts.other_stride];
      const double d = std::abs(n / margin[a] - share[b] / total);
      distance += d;
      farthest = std::max(farthest, d);
    }
    sum += distance / static_cast<double>(counts.other_levels) + farthest;
    ++seen;
  }
  return seen == 0 ? 0 : sum / (2 * static_cast<double>(seen));
}

double both_ways(const Tally* cells, std::size_t rows, std::size_t columns) {
  std::vector<double> share;
  std::vector<double> margin;
  return (moved({cells, rows, columns, columns, 1}, share, margin) +
          moved({cells, columns, 1, rows, columns}, share, margin)) /
         2;
}

}  // namespace

std::vector<double> Discrepancies::pairs() {
  const std::size_t n = data_.size();
  std::vector<double> result(n * n, 0);
  CandidateCounts counts(data_);
  std::vector<std::size_t> later;
  for (std::size_t a = 0; a < n; ++a) {
    pulse::progress(a, n);
    later.clear();
    for (std::size_t b = a + 1; b < n; ++b) later.push_back(b);
    counts.each(a, {}, later, {}, [&](std::size_t b, std::span<const Tally> table) {
      pulse::beat(data_.rows());
      const double found = both_ways(table.data(), data_.arity(b), data_.arity(a));
      result[a * n + b] = result[b * n + a] = found;
    });
  }
  return result;
}

double Discrepancies::given(std::size_t a, std::size_t b, std::size_t c) {
  const std::size_t condition[] = {c};
  double sum = 0;
  std::size_t seen = 0;
  pulse::beat(data_.rows());
  counter_.slices(a, b, condition, [&](const Slice& slice) {
    sum += both_ways(slice.cells, slice.x_levels, slice.y_levels);
    ++seen;
  });
  return seen == 0 ? 0 : sum / static_cast<double>(seen);
}

}  // namespace dagathlon
