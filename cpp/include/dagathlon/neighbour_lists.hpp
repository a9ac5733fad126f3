// The neighbours of each node one after the other: what a sparse graph of many nodes is walked by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/bits.hpp"

namespace dagathlon {

class NeighbourLists {
 public:
  NeighbourLists() = default;
  // The members of each row, in increasing order.
  explicit NeighbourLists(const BitMatrix& rows) : start_(rows.size() + 1) {
    for (std::size_t i = 0; i < rows.size(); ++i) start_[i + 1] = start_[i] + count(rows[i]);
    nodes_.reserve(start_.back());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for_each(rows[i], [&](std::size_t j) { nodes_.push_back(static_cast<std::uint32_t>(j)); });
  }

  std::span<const std::uint32_t> operator[](std::size_t i) const { return {nodes_.data() + start_[i], length(i)}; }
  std::span<std::uint32_t> operator[](std::size_t i) { return {nodes_.data() + start_[i], length(i)}; }

 private:
  std::size_t length(std::size_t i) const { return start_[i + 1] - start_[i]; }

  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> nodes_;
};

}  // namespace dagathlon
