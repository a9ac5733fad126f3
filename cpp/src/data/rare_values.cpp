#include "dagathlon/data/rare_values.hpp"

#include <algorithm>

namespace dagathlon {

RareValues::RareValues(const DiscreteData& data) : rows_(data.rows()), codes_(data.rows() * data.size()) {
  starts_.push_back(0);
  for (std::size_t j = 0; j < data.size(); ++j) {
    renumber(data, j);
    starts_.push_back(starts_.back() + data.arity(j) - 1);
  }
  of_row_start_.push_back(0);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = 0; j < data.size(); ++j)
      if (codes(j)[i] != 0) of_row_.push_back(static_cast<std::uint32_t>(starts_[j] + codes(j)[i] - 1));
    of_row_start_.push_back(of_row_.size());
  }
  weights_.assign(data.weights().begin(), data.weights().end());
  weights_.resize(rows_, 1);
}

void RareValues::renumber(const DiscreteData& data, std::size_t j) {
  std::vector<std::size_t> found(data.arity(j), 0);
  for (std::size_t i = 0; i < rows_; ++i) found[data.code(j, i)] += data.weights().empty() ? 1 : data.weights()[i];
  const auto commonest = static_cast<std::size_t>(std::ranges::max_element(found) - found.begin());
  std::uint8_t* to = codes_.data() + j * rows_;
  for (std::size_t i = 0; i < rows_; ++i) {
    const std::size_t code = data.code(j, i);
    to[i] = static_cast<std::uint8_t>(code == commonest ? 0 : code < commonest ? code + 1 : code);
  }
}

}  // namespace dagathlon
