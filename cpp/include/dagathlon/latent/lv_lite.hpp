// LV-Lite, later called FCI targeted testing (Ramsey, Andrews and Spirtes 2025): a PAG from the DAG of a search
// over orders, by tests that the PAG itself asks for.
#pragma once

#include "dagathlon/latent/pag_search.hpp"

namespace dagathlon {

// `dag` is what the search found. Its PAG loses an edge where a set that blocks all other paths separates the ends,
// and only if what remains is a PAG again; so the result, before knowledge directs edges, is always one. The number
// of ambiguous triples is that of the edges that stayed for this reason. At the deadline it is the PAG so far. Where
// edges are not `tested` it is that of the DAG.
LearnedPag learn_lv_lite(IndependenceTest& test, const MarkedGraph& dag, const PagOptions& options, bool tested = true);

}  // namespace dagathlon
