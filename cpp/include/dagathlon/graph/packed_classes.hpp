// The equivalence classes of many graphs over the same nodes, one row of bits each.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/packed_graphs.hpp"

namespace dagathlon {

struct ClassRows {
  // Rows of arcs, of which both directions of a pair are an undirected edge; empty if a row has no class.
  std::vector<Word> bits;
  // The first row that no DAG extends; the number of rows if there is none.
  std::size_t first_without;
};

// The CPDAG of each row of arcs.
ClassRows cpdag_rows(const PackedRows& rows, std::size_t nodes);

}  // namespace dagathlon
