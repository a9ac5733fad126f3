// GFCI: a PAG from the CPDAG of a score-based search, corrected by tests (Ogarrio, Spirtes and Ramsey
// 2016).
#pragma once

#include "dagathlon/latent/pag_search.hpp"

namespace dagathlon {

// How the CPDAG of the score-based search is corrected.
struct ScoreUse {
  // Whether sets of its neighbours are tried whatever was removed since; otherwise of those that are left.
  bool scored_neighbours = false;
  // Whether two of its arrows into one node stay also where their tails are joined.
  bool keep_arrows = false;
  // Whether all its edges are tested; otherwise those inside triangles.
  bool all_edges = false;
};

// `scored` is the CPDAG of the score-based search over the same nodes.
LearnedPag learn_gfci(IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options,
                      const ScoreUse& use = {});

}  // namespace dagathlon
