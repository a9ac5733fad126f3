// The neighbours of each node one after the other: what a sparse graph of many nodes is walked by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"

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

  // Where the neighbours of a node begin among those of all, and how many these are.
  std::size_t start(std::size_t i) const { return start_[i]; }
  std::size_t total() const { return nodes_.size(); }

  std::span<const std::uint32_t> operator[](std::size_t i) const { return {nodes_.data() + start_[i], length(i)}; }
  std::span<std::uint32_t> operator[](std::size_t i) { return {nodes_.data() + start_[i], length(i)}; }

 private:
  std::size_t length(std::size_t i) const { return start_[i + 1] - start_[i]; }

  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> nodes_;
};

// For each node some of its neighbours, in no order; they come and go.
class SomeNeighbours {
 public:
  explicit SomeNeighbours(const NeighbourLists& all, std::size_t size) : nodes_(all.total()), counts_(size) {}

  std::span<const std::uint32_t> of(const NeighbourLists& all, std::size_t i) const {
    return {nodes_.data() + all.start(i), counts_[i]};
  }
  void add(const NeighbourLists& all, std::size_t i, std::size_t j) {
    nodes_[all.start(i) + counts_[i]++] = static_cast<std::uint32_t>(j);
  }
  void remove(const NeighbourLists& all, std::size_t i, std::size_t j) {
    std::uint32_t* place = nodes_.data() + all.start(i);
    while (*place != j) ++place;
    *place = nodes_[all.start(i) + --counts_[i]];
  }

 private:
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace dagathlon
