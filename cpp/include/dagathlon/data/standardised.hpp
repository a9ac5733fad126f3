// Columns with mean zero and variance one.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "dagathlon/data/covariance.hpp"

namespace dagathlon {

struct StandardisedColumns {
  // Column after column; a constant one is zero.
  std::vector<double> values;
  std::vector<bool> constant;
};

inline StandardisedColumns standardised(std::span<const ValueColumn> columns, std::size_t rows) {
  StandardisedColumns found{std::vector<double>(columns.size() * rows), std::vector<bool>(columns.size())};
  const Moments m = moments(columns, rows);
  const SymmetricMatrix r = correlation(m);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    found.constant[j] = r(j, j) == 0;
    if (found.constant[j]) continue;
    const double scale = 1.0 / std::sqrt(m.scatter(j, j) / static_cast<double>(rows - 1));
    for (std::size_t i = 0; i < rows; ++i) found.values[j * rows + i] = (columns[j][i] - m.means[j]) * scale;
  }
  return found;
}

}  // namespace dagathlon
