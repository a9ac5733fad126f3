// GFCI: a PAG from the CPDAG of a score-based search, corrected by tests (Ogarrio, Spirtes and Ramsey
// 2016).
#pragma once

#include "dagathlon/pag_search.hpp"

namespace dagathlon {

// `scored` is the CPDAG of the score-based search over the same nodes.
LearnedPag learn_gfci(IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options);

}  // namespace dagathlon
