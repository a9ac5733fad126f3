#include "dagathlon/data/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t block_rows = 1024;

// Draws of different rows never overlap: one draw leaves room for the rare repetitions of below().
constexpr std::uint64_t draws_per_row = 8;

Stream replacement(const CellNoise& noise, std::size_t row) {
  return {noise.seed, noise.stream + 1, draws_per_row * row};
}

// Calls touch(row) for every touched row, the last one first. A row takes half a draw: 32 bits are
// enough for a rate, and a cell is mostly the price of its random bits.
template <class Touch>
void for_each_touched(std::size_t rows, const CellNoise& noise, Touch touch) {
  const auto limit = static_cast<std::uint64_t>(std::ceil(noise.rate * 0x1p32));
  std::array<std::uint64_t, block_rows / 2> bits;
  for (std::size_t block = (rows + block_rows - 1) / block_rows; block-- > 0;) {
    const std::size_t first = block * block_rows;
    const std::size_t count = std::min(block_rows, rows - first);
    fill_bits(noise.seed, noise.stream, first / 2, {bits.data(), (count + 1) / 2});
    for (std::size_t i = count; i-- > 0;)
      if ((bits[i / 2] >> (i % 2 * 32) & 0xFFFFFFFFU) < limit) touch(first + i);
  }
}

}  // namespace

template <class Code>
void overwrite(std::span<Code> column, Code value, Code missing, const CellNoise& noise) {
  for_each_touched(column.size(), noise, [&](std::size_t row) {
    if (column[row] != missing) column[row] = value;
  });
}

template <class Code>
void scramble(std::span<Code> column, std::size_t levels, Code missing, const CellNoise& noise) {
  if (levels < 2) return;
  for_each_touched(column.size(), noise, [&](std::size_t row) {
    if (column[row] == missing) return;
    const auto other = static_cast<Code>(replacement(noise, row).below(levels - 1));
    column[row] = static_cast<Code>(other + (other >= column[row] ? 1 : 0));
  });
}

void erase(std::span<double> column, const CellNoise& noise) {
  for_each_touched(column.size(), noise,
                   [&](std::size_t row) { column[row] = std::numeric_limits<double>::quiet_NaN(); });
}

// The last row comes first, so that every row takes an earlier value as it was before the noise.
void resample(std::span<double> column, const CellNoise& noise) {
  for_each_touched(column.size(), noise, [&](std::size_t row) {
    if (row == 0 || std::isnan(column[row])) return;
    const double other = column[replacement(noise, row).below(row)];
    if (!std::isnan(other)) column[row] = other;
  });
}

template void overwrite(std::span<std::uint8_t>, std::uint8_t, std::uint8_t, const CellNoise&);
template void overwrite(std::span<std::uint16_t>, std::uint16_t, std::uint16_t, const CellNoise&);
template void scramble(std::span<std::uint8_t>, std::size_t, std::uint8_t, const CellNoise&);
template void scramble(std::span<std::uint16_t>, std::size_t, std::uint16_t, const CellNoise&);

}  // namespace dagathlon
