// Local search over orders of nodes that choose their parents from lists (Scanagatta et al. 2015, 2017).
#pragma once

#include <cstddef>
#include <cstdint>

#include "dagathlon/exact/optimal_dag.hpp"
#include "dagathlon/score/parent_sets.hpp"

namespace dagathlon {

struct WindowSearch {
  // Random orders to start from.
  std::size_t starts;
  // Starts in a row that find nothing better, after which there are no more; 0 is no such rule.
  std::size_t patience;
  // Largest number of neighbours in an order that are moved together; 0 only scores the random orders.
  std::size_t window;
  // Whether parents may stand later in the order where that makes no cycle (acyclic selection).
  bool acyclic_selection;
  // Starts end after this many seconds; 0 is no limit, and then the seed alone decides the result.
  double seconds;
  std::uint64_t seed;
};

struct WindowResult {
  Choice choice;
  std::size_t starts = 0;
  std::size_t moves = 0;
};

// Lists are sorted from the best set on. A node whose list has no set without parents may leave no
// choice in many orders; the score is then minus infinity.
WindowResult window_search(const ParentSets& sets, const WindowSearch& how);

}  // namespace dagathlon
