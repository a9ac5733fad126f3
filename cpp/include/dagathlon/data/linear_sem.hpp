// Linear structural equation models: a variable is a weighted sum of its parents plus noise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dagathlon {

// Weights are row-major n×n, from row to column; zero is no edge.

// Nodes with parents first; those on or after a directed cycle are left out.
std::vector<std::size_t> weight_order(std::span<const double> weights, std::size_t n);

// Turns noise into values: column by column of `values` (column-major, `rows` rows), parents first, each
// node gets its weighted parents added, parent by parent in the order of the rows.
void propagate(std::span<const double> weights, std::span<const std::size_t> order, std::size_t rows,
               std::span<double> values);

}  // namespace dagathlon
