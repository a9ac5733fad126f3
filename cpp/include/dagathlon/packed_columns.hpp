// Neighbouring discrete columns as digits of one byte: one count of such a byte is a count of each of its
// columns, which makes the tables of many candidates several times cheaper where there are many rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/discrete_data.hpp"

namespace dagathlon {

struct PackedColumn {
  // The columns first to last - 1, of which the first is the highest digit.
  std::size_t first;
  std::size_t last;
  // Products of their levels: numbers of different bytes.
  std::size_t levels;
  std::vector<std::uint8_t> codes;
};

// All columns of the data, in bytes of at most `most_levels` values.
std::vector<PackedColumn> packed_columns(const DiscreteData& data, std::size_t most_levels);

// The table of one column from that of the byte. A level has `cells` numbers, one after the other, in both.
void unpack_table(const DiscreteData& data, const PackedColumn& packed, std::size_t column, std::size_t cells,
                  std::span<const Tally> table, Tally* to);

}  // namespace dagathlon
