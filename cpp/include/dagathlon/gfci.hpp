// GFCI: a PAG from the CPDAG of a score-based search, corrected by tests (Ogarrio, Spirtes and Ramsey
// 2016).
#pragma once

#include "dagathlon/pag_search.hpp"

namespace dagathlon {

// `scored` is the CPDAG of the score-based search over the same nodes. With `keep_scored`, as in Tetrad 6, sets of
// its neighbours are tried whatever was removed, and two of its arrows into one node stay.
LearnedPag learn_gfci(IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options, bool keep_scored);

}  // namespace dagathlon
