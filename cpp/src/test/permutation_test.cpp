#include "dagathlon/test/permutation_test.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

// Statistics that are equal but for rounding count as equal.
constexpr double tie_tolerance = 1e-9;

double reached_from(double extremeness) {
  return extremeness * (extremeness < 0 ? 1.0 + tie_tolerance : 1.0 - tie_tolerance);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash += 0x9E3779B97F4A7C15U + value;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9U;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBU;
  return hash ^ (hash >> 31);
}

std::vector<std::size_t> sorted(Nodes given) {
  std::vector<std::size_t> set(given.begin(), given.end());
  std::ranges::sort(set);
  return set;
}

}  // namespace

Stream PermutationTest::stream(std::size_t x, std::size_t y, Nodes given) const {
  const std::vector<std::size_t> set = sorted(given);
  std::uint64_t hash = mixed(mixed(0, std::min(x, y)), std::max(x, y));
  for (const std::size_t node : set) hash = mixed(hash, node);
  return {permutations_.seed, hash};
}

TestResult PermutationTest::run(std::size_t x, std::size_t y, Nodes given) {
  const Observed observed = observe(std::min(x, y), std::max(x, y), sorted(given));
  if (!observed.defined) return {0.0, 0.0, 1.0, false};
  Stream random = stream(x, y, given);
  const double limit = reached_from(observed.extremeness);
  const auto replicates = static_cast<double>(permutations_.replicates);
  double reached = 0;
  double sum = 0;
  for (std::size_t k = 0; k < permutations_.replicates; ++k) {
    pulse::beat();
    const double value = permuted(random);
    sum += value;
    reached += value >= limit ? 1 : 0;
  }
  if (!permutations_.semiparametric) return {observed.statistic, 0.0, reached / replicates};
  const double df = sum / replicates;
  if (!(df > 0)) return {0.0, 0.0, 1.0, false};
  return {observed.statistic, df, chi_square_tail(observed.statistic, df)};
}

bool PermutationTest::accepts(std::size_t x, std::size_t y, Nodes given, double alpha) {
  if (permutations_.semiparametric) return verdict(run(x, y, given), alpha);
  const Observed observed = observe(std::min(x, y), std::max(x, y), sorted(given));
  if (!observed.defined) return unanswered();
  Stream random = stream(x, y, given);
  const double limit = reached_from(observed.extremeness);
  const double enough = alpha * static_cast<double>(permutations_.replicates);
  double reached = 0;
  for (std::size_t k = 0; k < permutations_.replicates; ++k) {
    pulse::beat();
    if (reached >= enough) return true;
    if (reached + static_cast<double>(permutations_.replicates - k) < enough) return false;
    reached += permuted(random) >= limit ? 1 : 0;
  }
  return reached >= enough;
}

DiscretePermutationTest::DiscretePermutationTest(DiscreteData data, DiscreteStatistic statistic,
                                                 PermutationOptions options)
    : PermutationTest(options),
      data_(std::move(data)),
      statistic_(statistic),
      counter_(data_),
      logs_(data_.observations()),
      log_factorials_(data_.observations() + 1) {
  for (std::size_t k = 1; k < log_factorials_.size(); ++k)
    log_factorials_[k] = log_factorials_[k - 1] + logs_[static_cast<Tally>(k)];
}

PermutationTest::Observed DiscretePermutationTest::observe(std::size_t x, std::size_t y, Nodes given) {
  tables_.clear();
  counter_.slices(x, y, given, [&](const Slice& slice) {
    tables_.push_back({{slice.x_margin, slice.x_margin + slice.x_levels},
                       {slice.y_margin, slice.y_margin + slice.y_levels},
                       {slice.cells, slice.cells + slice.x_levels * slice.y_levels},
                       slice.total});
  });
  const double value = statistic();
  const bool ordered = statistic_ == DiscreteStatistic::ordered_pairs;
  return {value, ordered ? std::fabs(value) : value, !tables_.empty() && !std::isnan(value)};
}

double DiscretePermutationTest::statistic() const {
  double sum = 0;
  OrderedPairs pairs;
  for (const Table& table : tables_) {
    if (statistic_ == DiscreteStatistic::g_square) sum += 2.0 * slice_information(table.slice(), logs_);
    else if (statistic_ == DiscreteStatistic::chi_square) sum += slice_chi_square(table.slice());
    else {
      const OrderedPairs found = slice_ordered_pairs(table.slice());
      pairs.excess += found.excess;
      pairs.variance += found.variance;
    }
  }
  if (statistic_ != DiscreteStatistic::ordered_pairs) return std::max(sum, 0.0);
  return pairs.excess / std::sqrt(pairs.variance);
}

double DiscretePermutationTest::permuted(Stream& random) {
  for (Table& table : tables_) draw(table, random);
  const double value = statistic();
  return statistic_ == DiscreteStatistic::ordered_pairs ? std::fabs(value) : value;
}

// Row by row: each cell given what is left of its row and of the columns.
void DiscretePermutationTest::draw(Table& table, Stream& random) {
  const std::size_t y_levels = table.y_margin.size();
  rest_ = table.y_margin;
  std::size_t total = table.total;
  for (std::size_t a = 0; a < table.x_margin.size(); ++a) {
    std::size_t row = table.x_margin[a];
    std::size_t pool = total;
    total -= row;
    for (std::size_t b = 0; b < y_levels; ++b) {
      const std::size_t cell = b + 1 == y_levels ? row : hypergeometric(pool, rest_[b], row, random);
      pool -= rest_[b];
      row -= cell;
      rest_[b] -= static_cast<Tally>(cell);
      table.cells[a * y_levels + b] = static_cast<Tally>(cell);
    }
  }
}

// Inversion from the mode outwards.
std::size_t DiscretePermutationTest::hypergeometric(std::size_t total, std::size_t marked, std::size_t drawn,
                                                    Stream& random) const {
  const std::size_t lowest = marked + drawn > total ? marked + drawn - total : 0;
  const std::size_t highest = std::min(marked, drawn);
  if (lowest == highest) return lowest;
  const auto ratio = static_cast<double>(drawn + 1) * static_cast<double>(marked + 1) / static_cast<double>(total + 2);
  const std::size_t mode = std::clamp(static_cast<std::size_t>(ratio), lowest, highest);
  const auto& lf = log_factorials_;
  const double at_mode = std::exp(lf[marked] - lf[mode] - lf[marked - mode] + lf[total - marked] - lf[drawn - mode] -
                                  lf[total - marked - drawn + mode] - lf[total] + lf[drawn] + lf[total - drawn]);
  const auto up = [&](std::size_t k) {  // p(k+1) / p(k)
    return static_cast<double>(marked - k) * static_cast<double>(drawn - k) /
           (static_cast<double>(k + 1) * static_cast<double>(total - marked - drawn + k + 1));
  };
  double left = random.uniform() - at_mode;
  std::size_t low = mode;
  std::size_t high = mode;
  double low_p = at_mode;
  double high_p = at_mode;
  while (left >= 0 && (low > lowest || high < highest)) {
    if (high < highest) {
      high_p *= up(high);
      ++high;
      if ((left -= high_p) < 0) return high;
    }
    if (low > lowest) {
      --low;
      low_p /= up(low);
      if ((left -= low_p) < 0) return low;
    }
  }
  return mode;
}

}  // namespace dagathlon
