// What constraint-based learners are told beforehand, as Python hands it over.
#pragma once

#include "bind.hpp"
#include "dagathlon/test/independence.hpp"
#include "dagathlon/constraint/skeleton.hpp"

namespace dagathlon {

// Directed edges that must not, and must, be there, from row to column; empty for none.
struct KnownEdges {
  BitMatrix forbidden;
  BitMatrix required;

  bool empty() const { return forbidden.size() == 0; }
};

// ValueError unless the knowledge is empty or about the variables of the test.
void check_size(const BitMatrix& known, const IndependenceTest& test);
// The same for the pairs that a search is told, and for the order in which it tries neighbours.
void check_size(const SkeletonOptions& options, const IndependenceTest& test);

}  // namespace dagathlon
