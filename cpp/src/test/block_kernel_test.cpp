#include "dagathlon/test/block_kernel_test.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/data/standardised.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t most_blocks = 10;
constexpr std::size_t rows_of_a_block = 100;
constexpr std::size_t fewest_rows = 6;
constexpr std::size_t partitions = 4;

std::uint64_t stream_of(Nodes given, std::size_t partition) {
  std::uint64_t hash = 0xCBF29CE484222325U + partition;
  for (const std::size_t z : given) hash = (hash ^ (z + 1)) * 0x100000001B3U + (hash >> 29);
  return hash;
}

}  // namespace

BlockKernelTest::BlockKernelTest(std::span<const ValueColumn> columns, std::size_t rows, std::uint64_t seed)
    : rows_(rows), seed_(seed), size_(columns.size()), scaled_(standardised(columns, rows).values) {}

BlockKernelTest::Blocks BlockKernelTest::blocks(Nodes given, std::size_t partition) const {
  const std::size_t count = std::clamp(rows_ / rows_of_a_block, std::size_t{1}, most_blocks);
  Blocks found(count);
  Stream random(seed_, stream_of(given, partition));
  if (given.empty()) {
    std::vector<std::size_t> order(rows_);
    for (std::size_t i = 0; i < rows_; ++i) order[i] = i;
    random.shuffle(std::span(order));
    for (std::size_t i = 0; i < rows_; ++i) found[i % count].push_back(order[i]);
    return found;
  }
  std::vector<double> centres(count * given.size());
  for (double& centre : centres) centre = random.normal();
  std::vector<double> share(count);
  for (std::size_t i = 0; i < rows_; ++i) {
    double nearest = INFINITY;
    for (std::size_t k = 0; k < count; ++k) {
      share[k] = 0;
      for (std::size_t d = 0; d < given.size(); ++d) {
        const double apart = scaled_[given[d] * rows_ + i] - centres[k * given.size() + d];
        share[k] += 0.5 * apart * apart;
      }
      nearest = std::min(nearest, share[k]);
    }
    double total = 0;
    for (double& s : share) total += s = std::exp(nearest - s);
    double left = random.uniform() * total;
    std::size_t k = 0;
    while (k + 1 < count && (left -= share[k]) >= 0) ++k;
    found[k].push_back(i);
  }
  return found;
}

KernelStatistic BlockKernelTest::in_blocks(std::size_t x, std::size_t y, Nodes given, const Blocks& blocks) const {
  std::vector<std::size_t> used{x, y};
  used.insert(used.end(), given.begin(), given.end());
  std::vector<std::size_t> places(given.size());
  for (std::size_t d = 0; d < places.size(); ++d) places[d] = d + 2;
  KernelStatistic sum;
  for (const std::vector<std::size_t>& block : blocks) {
    if (block.size() < fewest_rows) continue;
    std::vector<std::vector<double>> copies;
    std::vector<ValueColumn> columns;
    for (const std::size_t c : used) {
      std::vector<double> copy;
      copy.reserve(block.size());
      for (const std::size_t i : block) copy.push_back(scaled_[c * rows_ + i]);
      copies.push_back(std::move(copy));
    }
    for (const std::vector<double>& copy : copies) columns.push_back({copy.data(), 1});
    const KernelStatistic found = KernelTest(columns, block.size()).statistic(0, 1, places);
    sum.value += found.value;
    sum.mean += found.mean;
    sum.variance += found.variance;
  }
  return sum;
}

TestResult BlockKernelTest::run(std::size_t x, std::size_t y, Nodes given) {
  // The test treats the two differently: the first of the data is always x.
  if (y < x) std::swap(x, y);
  std::vector<std::size_t> known(given.begin(), given.end());
  std::ranges::sort(known);
  KernelStatistic mean;
  double deviation = 0;
  const std::size_t repeats = rows_ < 2 * rows_of_a_block ? 1 : partitions;
  for (std::size_t p = 0; p < repeats; ++p) {
    pulse::beat(rows_);
    const KernelStatistic found = in_blocks(x, y, known, blocks(known, p));
    mean.value += found.value / static_cast<double>(repeats);
    mean.mean += found.mean / static_cast<double>(repeats);
    deviation += std::sqrt(found.variance) / static_cast<double>(repeats);
  }
  // Partitions of the same rows go together: the deviation of a mean is at most the mean deviation.
  mean.variance = deviation * deviation;
  return gamma_result(mean);
}

}  // namespace dagathlon
