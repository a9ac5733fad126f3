// Columns of data as Python hands them over.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "dagathlon/data/covariance.hpp"
#include "dagathlon/data/discrete_data.hpp"

namespace dagathlon {

template <class T>
using Columns = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

inline std::vector<ValueColumn> value_columns(const Columns<double>& values) {
  std::vector<ValueColumn> columns(values.shape(1));
  for (std::size_t j = 0; j < columns.size(); ++j)
    columns[j] = {values.data() + static_cast<std::ptrdiff_t>(j) * values.stride(1), values.stride(0)};
  return columns;
}

template <class Code>
DiscreteData discrete_data(const Columns<Code>& codes, NodeList arities, bool merge_rows = true) {
  std::vector<CodeColumn<Code>> columns(codes.shape(1));
  for (std::size_t j = 0; j < columns.size(); ++j)
    columns[j] = {codes.data() + static_cast<std::ptrdiff_t>(j) * codes.stride(1), codes.stride(0)};
  return DiscreteData(std::span<const CodeColumn<Code>>(columns), codes.shape(0), std::move(arities), merge_rows,
                      std::make_shared<const Columns<Code>>(codes));
}

}  // namespace dagathlon
