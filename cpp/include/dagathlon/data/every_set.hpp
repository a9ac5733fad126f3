// Sums over the cells of the contingency tables of all sets of a few columns, however large.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/data/set_sums.hpp"

namespace dagathlon {

// With more columns there are too many sets.
inline constexpr std::size_t max_columns_of_every_set = 22;

// Sums of the sets of up to `largest` columns. Deep sets cost as many steps as they have different rows, so
// that this suits large sets, where most cells are empty.
SetSums count_every_set(const DiscreteData& data, std::size_t largest, std::vector<CellSum> sums);

}  // namespace dagathlon
