// The Markov chains of the R package BDgraph 2.72 (Mohammadi and Wit 2015, 2019), with its approximations.
//
// The precision matrix is drawn anew in every iteration. By births and deaths a graph counts by the time that it is
// expected to last; as that time is the one of the precision matrix drawn at the jump, graphs that are left fast count
// for more than they should. The ratio of prior constants is a function of the number of common neighbours, half of
// which is rounded down there, or comes from one draw of the prior of the graph before the change. Chains that sample
// the posterior itself are in gaussian_chain.hpp.
#pragma once

#include <cstddef>
#include <span>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/undirected/copula_data.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/undirected/undirected_log.hpp"

namespace dagathlon {

struct BdgraphRules {
  double edge_probability;
  // Degrees of freedom of the prior; its scale is the identity.
  double b;
  // Births and deaths, or reversible jumps.
  bool births;
  // Constants of the prior by draws.
  bool auxiliary;
  // Edges that an iteration of births and deaths turns.
  std::size_t jumps;
  // Whether a graph counts by the time that the one before was expected to last, as BDgraph has it for copulas with
  // drawn constants.
  bool late_times;
};

// Data are the sums of products of so many rows, or the latent ones of a copula.
struct BdgraphData {
  std::span<const double> scatter;
  double rows;
  CopulaData* copula = nullptr;
};

UndirectedLog bdgraph_chain(const BitMatrix& start, const BdgraphRules& rules, const BdgraphData& data,
                            const ChainLength& length, Stream random);

}  // namespace dagathlon
