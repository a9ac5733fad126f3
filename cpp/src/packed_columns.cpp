#include "dagathlon/packed_columns.hpp"

#include <algorithm>

namespace dagathlon {

std::vector<PackedColumn> packed_columns(const DiscreteData& data, std::size_t most_levels) {
  std::vector<PackedColumn> result;
  for (std::size_t j = 0; j < data.size(); ++j) {
    const std::size_t arity = data.stored_arity(j);
    if (result.empty() || result.back().levels * arity > most_levels)
      result.push_back({j, j, 1, std::vector<std::uint8_t>(data.rows(), 0)});
    PackedColumn& packed = result.back();
    const std::uint8_t* codes = data.narrow_codes(j);
    const auto factor = static_cast<std::uint8_t>(arity);
    for (std::size_t i = 0; i < data.rows(); ++i)
      packed.codes[i] = static_cast<std::uint8_t>(packed.codes[i] * factor + codes[i]);
    packed.levels *= arity;
    packed.last = j + 1;
  }
  return result;
}

void unpack_table(const DiscreteData& data, const PackedColumn& packed, std::size_t column, std::size_t cells,
                  std::span<const Tally> table, Tally* to) {
  std::size_t below = 1;
  for (std::size_t j = column + 1; j < packed.last; ++j) below *= data.stored_arity(j);
  const std::size_t arity = data.stored_arity(column);
  std::fill_n(to, arity * cells, Tally{0});
  for (std::size_t byte = 0; byte < packed.levels; ++byte) {
    const Tally* from = table.data() + byte * cells;
    Tally* level = to + byte / below % arity * cells;
    for (std::size_t cell = 0; cell < cells; ++cell) level[cell] += from[cell];
  }
}

}  // namespace dagathlon
