// RFCI: ancestral relations of a causal graph with latent variables, without the second pass of FCI
// (Colombo, Maathuis, Kalisch and Richardson 2012).
#pragma once

#include "dagathlon/pag_search.hpp"

namespace dagathlon {

// Colliders and discriminating paths are used only after tests that every edge in them is really
// there; an edge that such a test separates is taken out.
LearnedPag learn_rfci(IndependenceTest& test, const PagOptions& options);

}  // namespace dagathlon
