#include "dagathlon/data/linear_sem.hpp"

#include <algorithm>

namespace dagathlon {

namespace {

// Rows that are worked on at once, so that a parent's column is still in the cache for its children.
constexpr std::size_t block_rows = 1024;

}  // namespace

std::vector<std::size_t> weight_order(std::span<const double> weights, std::size_t n) {
  std::vector<std::size_t> missing(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) missing[j] += weights[i * n + j] != 0;
  std::vector<std::size_t> order;
  order.reserve(n);
  for (std::size_t j = 0; j < n; ++j)
    if (missing[j] == 0) order.push_back(j);
  for (std::size_t k = 0; k < order.size(); ++k)
    for (std::size_t j = 0; j < n; ++j)
      if (weights[order[k] * n + j] != 0 && --missing[j] == 0) order.push_back(j);
  return order;
}

void propagate(std::span<const double> weights, std::span<const std::size_t> order, std::size_t rows,
               std::span<double> values) {
  const std::size_t n = order.size();
  std::vector<std::vector<std::size_t>> parents(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (weights[i * n + j] != 0) parents[j].push_back(i);
  for (std::size_t start = 0; start < rows; start += block_rows) {
    const std::size_t count = std::min(block_rows, rows - start);
    for (const std::size_t j : order) {
      double* target = &values[j * rows + start];
      for (const std::size_t i : parents[j]) {
        const double weight = weights[i * n + j];
        const double* source = &values[i * rows + start];
        for (std::size_t r = 0; r < count; ++r) target[r] += weight * source[r];
      }
    }
  }
}

}  // namespace dagathlon
