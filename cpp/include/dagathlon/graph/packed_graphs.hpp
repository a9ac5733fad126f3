// Many graphs over the same nodes, one row of bits each: what is counted over all of them.
//
// In a row of arcs, bit i·(n-1) + r stands for the edge from i to the r-th of the other nodes; an edge in
// both directions is undirected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

struct PackedRows {
  std::span<const Word> bits;
  // Words in a row; a row without a word is a graph without a pair of nodes.
  std::size_t words;
  std::size_t count;

  ConstRow row(std::size_t k) const { return bits.subspan(k * words, words); }
};

// In how many rows each bit is set.
std::vector<std::int64_t> bit_counts(const PackedRows& rows);
// For each bit the sum of the weights of the rows that have it.
std::vector<double> bit_sums(const PackedRows& rows, std::span<const double> weights);
// For each row the number of its graph; equal rows have the same, numbers rise in order of appearance.
std::vector<std::int64_t> graph_numbers(const PackedRows& rows);

// For each pair of nodes, row-major, the sum of the weights of the rows of arcs in which directed edges
// lead from the first to the second.
std::vector<double> path_sums(const PackedRows& rows, std::size_t nodes, std::span<const double> weights);
// The first row of arcs that is no DAG (it has an undirected edge or a cycle); the number of rows if
// all are DAGs.
std::size_t first_non_dag(const PackedRows& rows, std::size_t nodes);

}  // namespace dagathlon
