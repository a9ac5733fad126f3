// RFCI: ancestral relations of a causal graph with latent variables, without the second pass of FCI
// (Colombo, Maathuis, Kalisch and Richardson 2012).
#pragma once

#include <cstdint>

#include "dagathlon/latent/pag_search.hpp"

namespace dagathlon {

// Which triples and paths are tested before they direct edges: all of them, or those that pcalg tests, which takes
// triples that the removal of an edge makes unshielded as they are, and of a discriminating path keeps four nodes.
enum class RfciChecks : std::uint8_t { all, pcalg };

// Colliders and discriminating paths are used only after tests that every edge in them is really
// there; an edge that such a test separates is taken out.
LearnedPag learn_rfci(IndependenceTest& test, const PagOptions& options, RfciChecks checks);

}  // namespace dagathlon
