// The number of orders of the nodes that agree with a DAG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

// Counts by taking away sources or sinks, whichever are fewer, and falling apart into components
// wherever that is possible: few sets of nodes are ever visited in a sparse DAG.
class LinearExtensions {
 public:
  // A set of nodes is a word.
  static constexpr std::size_t max_nodes = 64;
  // So many sets take a tenth of a second; a DAG that needs more is not counted.
  static constexpr std::size_t max_sets = 300'000;

  // The logarithm of the number (row j: the parents of j); NaN where it would take too long.
  double log_count(const BitMatrix& parents);

 private:
  double count(Word set);
  double count_component(Word set);
  Word component(Word set) const;

  std::vector<Word> parents_;
  std::vector<Word> children_;
  std::unordered_map<Word, double> known_;
};

}  // namespace dagathlon
