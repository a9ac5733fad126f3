// Markov chains over undirected graphs whose weight is a pseudo-likelihood: a product over nodes of the
// marginal likelihood of the node given its neighbours (Pensar, Nyman, Niiranen and Corander 2017;
// Leppä-aho, Pensar, Roos and Corander 2017).
//
// The chain is a birth-death process (Mohammadi and Dobra): each pair is turned at a rate of min(1, ratio of
// weights), all rates are known, and only waiting times are random. A step is one unit of time, in which
// every pair would be proposed once on average, so that its cost is that of the graphs that were visited and
// not of the proposals that were refused.
#pragma once

#include <cstddef>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/score/score.hpp"
#include "dagathlon/undirected/undirected_log.hpp"

namespace dagathlon {

struct PseudoPrior {
  // Log odds of an edge.
  double log_odds = 0;
  // Most neighbours of a node.
  std::size_t max_neighbours = 0;
};

// The term of a node is score.local(node, neighbours). The start keeps to the largest number of neighbours.
UndirectedLog pseudo_likelihood_chain(Score& score, const PseudoPrior& prior, const BitMatrix& start,
                                      const ChainLength& length, Stream random);

}  // namespace dagathlon
