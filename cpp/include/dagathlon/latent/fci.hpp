// FCI: the PAG of a causal graph with latent variables (Spirtes et al. 2000, rules of Zhang 2008).
#pragma once

#include <cstdint>

#include "dagathlon/latent/pag_search.hpp"

namespace dagathlon {

// How edges are found that only nodes which are no neighbours of an end separate.
enum class SecondPass : std::uint8_t {
  none,       // not at all: too many edges may stay
  subsets,    // all sets of the nodes that collider paths reach
  adaptive,   // the same, with sets no larger than the largest of the first pass
  ancestors,  // all sets of those that such paths reach through possible ancestors of the two
  hierarchy   // sets that known separations imply: polynomial in the number of nodes
};

struct FciOptions : PagOptions {
  SecondPass second_pass = SecondPass::subsets;
};

// The nodes that x reaches by paths whose inner nodes are all colliders or in a triangle with their
// neighbours on the path, and which leave the allowed nodes nowhere.
BitSet possible_d_sep(const MarkedGraph& graph, std::size_t x, const BitSet& allowed);

LearnedPag learn_fci(IndependenceTest& test, const FciOptions& options);

// The second pass of FCI+ (Claassen, Mooij and Heskes 2013).
void separate_by_hierarchy(IndependenceTest& test, Skeleton& skeleton, const PagOptions& options);

}  // namespace dagathlon
