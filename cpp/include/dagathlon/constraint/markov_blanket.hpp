// Markov blankets from independence tests: grow-shrink and the incremental association family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/test/independence.hpp"
#include "dagathlon/graph/nodes.hpp"

namespace dagathlon {

enum class BlanketSearch : std::uint8_t {
  grow_shrink,     // adds the first variable that depends on x, whichever it is (Margaritis 2003)
  incremental,     // adds the one with the lowest p-value (IAMB, Tsamardinos et al. 2003)
  fast,            // adds all that depend on x, as far as the rows go (Yaramakala and Margaritis 2005)
  interleaved,     // IAMB that shrinks after each addition
  false_discovery  // IAMB with control of the false discovery rate (Peña 2008)
};

struct BlanketOptions {
  BlanketSearch search = BlanketSearch::grow_shrink;
  double alpha = 0.05;
  // Largest number of variables to condition on.
  std::size_t max_given = no_node;
  // Of discrete data, for the fast search, which keeps five rows for each cell of its tables; no
  // levels mean no limit.
  NodeVector levels;
  std::size_t rows = 0;
  // Pairs that are always adjacent; symmetric.
  BitMatrix required;
  // What the blanket holds at the start.
  NodeVector start = {};

  bool always(std::size_t x, std::size_t y) const { return required.size() != 0 && required.test(x, y); }
};

// The blanket of x among the candidates, in the order in which its members came in.
NodeVector markov_blanket(IndependenceTest& test, std::size_t x, Nodes candidates, const BlanketOptions& options);

// All nodes but one.
NodeVector others(std::size_t n, std::size_t x);
// The members but one.
NodeVector without(Nodes nodes, std::size_t node);
bool contains(Nodes nodes, std::size_t node);

}  // namespace dagathlon
