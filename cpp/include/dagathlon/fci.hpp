// FCI: the PAG of a causal graph with latent variables (Spirtes et al. 2000, rules of Zhang 2008).
#pragma once

#include "dagathlon/orientation.hpp"
#include "dagathlon/skeleton.hpp"

namespace dagathlon {

struct FciOptions {
  SkeletonOptions skeleton;
  // Whether edges are tested a second time, given nodes that may separate without being neighbours.
  bool possible_d_sep = true;
  RuleSet rules = all_rules;
  // Directed edges that must not, and must, be there, from row to column; empty for none.
  BitMatrix forbidden;
  BitMatrix required;
};

// The nodes that x reaches by paths whose inner nodes are all colliders or in a triangle with their
// neighbours on the path.
BitSet possible_d_sep(const MarkedGraph& graph, std::size_t x);

MarkedGraph learn_fci(IndependenceTest& test, const FciOptions& options);

}  // namespace dagathlon
