#include "dagathlon/data/sampling.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

// Rows worked on at once: the buffers and the parents' columns stay in the first-level cache.
constexpr std::size_t block_rows = 1024;
// Up to this many levels, comparing with every threshold beats a binary search.
constexpr std::size_t few_levels = 8;

struct Workspace {
  std::array<std::uint64_t, block_rows> bits;
  std::array<double, block_rows> uniforms;
  std::array<std::uint32_t, block_rows> configurations;
};

struct Block {
  std::size_t first;
  std::size_t rows;
};

template <class Code>
void find_configurations(const TableAddress& address, Columns<Code> codes, Block block, std::uint32_t* out) {
  std::fill_n(out, block.rows, 0U);
  for (std::size_t k = 0; k < address.columns.size(); ++k) {
    const Code* parent = codes.at(address.columns[k], block.first);
    const auto stride = static_cast<std::uint32_t>(address.strides[k]);
    for (std::size_t i = 0; i < block.rows; ++i) out[i] += stride * parent[i];
  }
}

template <std::size_t count, class Code>
void count_reached(const Workspace& work, const double* thresholds, std::size_t rows, Code* out) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = thresholds + count * work.configurations[i];
    unsigned level = 0;
    for (std::size_t k = 0; k < count; ++k) level += work.uniforms[i] >= row[k] ? 1U : 0U;
    out[i] = static_cast<Code>(level);
  }
}

template <class Code>
void choose_levels(const Workspace& work, const DiscreteNode& node, std::size_t rows, Code* out) {
  const double* table = node.thresholds.data();
  const std::size_t count = node.levels - 1;
  switch (count) {
    case 0: std::fill_n(out, rows, Code{0}); return;
    case 1: count_reached<1>(work, table, rows, out); return;
    case 2: count_reached<2>(work, table, rows, out); return;
    case 3: count_reached<3>(work, table, rows, out); return;
    default: break;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = table + count * work.configurations[i];
    const double u = work.uniforms[i];
    const auto reached = node.levels <= few_levels ? std::count_if(row, row + count, [u](double t) { return u >= t; })
                                                   : std::upper_bound(row, row + count, u) - row;
    out[i] = static_cast<Code>(reached);
  }
}

template <class Code>
void draw(const DiscreteNode& node, std::uint64_t seed, Columns<Code> codes, Block block, Workspace& work) {
  fill_bits(seed, node.stream, block.first, {work.bits.data(), block.rows});
  for (std::size_t i = 0; i < block.rows; ++i) work.uniforms[i] = to_uniform(work.bits[i]);
  find_configurations(node.address, codes, block, work.configurations.data());
  choose_levels(work, node, block.rows, codes.at(node.column, block.first));
}

template <class Code>
void draw(const GaussianNode& node, std::uint64_t seed, Columns<Code> codes, Columns<double> values, Block block,
          Workspace& work) {
  fill_bits(seed, node.stream, block.first, {work.bits.data(), block.rows});
  find_configurations(node.address, codes, block, work.configurations.data());
  const std::size_t parents = node.continuous_parents.size();
  double* out = values.at(node.column, block.first);
  const auto parameters = [&](std::size_t i) { return &node.parameters[(parents + 2) * work.configurations[i]]; };
  for (std::size_t i = 0; i < block.rows; ++i) out[i] = parameters(i)[0];
  for (std::size_t k = 0; k < parents; ++k) {
    const double* parent = values.at(node.continuous_parents[k], block.first);
    for (std::size_t i = 0; i < block.rows; ++i) out[i] += parameters(i)[k + 1] * parent[i];
  }
  for (std::size_t i = 0; i < block.rows; ++i) out[i] += parameters(i)[parents + 1] * to_normal(work.bits[i]);
}

}  // namespace

std::vector<double> thresholds(std::span<const double> probabilities, std::size_t levels) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> result;
  result.reserve(probabilities.size() / levels * (levels - 1));
  for (std::size_t start = 0; start < probabilities.size(); start += levels) {
    const auto row = probabilities.subspan(start, levels);
    std::size_t last = levels - 1;
    while (last > 0 && row[last] <= 0.0) --last;
    double sum = 0.0;
    for (std::size_t k = 0; k + 1 < levels; ++k) {
      sum += row[k];
      result.push_back(k < last ? sum : never);
    }
  }
  return result;
}

void NetworkSampler::add(DiscreteNode node) {
  order_.push_back({true, discrete_.size()});
  discrete_.push_back(std::move(node));
}

void NetworkSampler::add(GaussianNode node) {
  order_.push_back({false, gaussian_.size()});
  gaussian_.push_back(std::move(node));
}

template <class Code>
void NetworkSampler::sample(std::uint64_t seed, Columns<Code> codes, Columns<double> values) const {
  Workspace work;
  for (std::size_t first = 0; first < codes.rows; first += block_rows) {
    const Block block{first, std::min(block_rows, codes.rows - first)};
    for (const Step step : order_) {
      if (step.discrete) draw(discrete_[step.index], seed, codes, block, work);
      else draw(gaussian_[step.index], seed, codes, values, block, work);
    }
  }
}

template void NetworkSampler::sample(std::uint64_t, Columns<std::uint8_t>, Columns<double>) const;
template void NetworkSampler::sample(std::uint64_t, Columns<std::uint16_t>, Columns<double>) const;

}  // namespace dagathlon
