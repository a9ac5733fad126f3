// A Markov chain over junction trees that changes all edges of a node at a time, after Elmasri (2022).
#pragma once

#include <cstddef>

#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/undirected/clique_score.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/undirected/undirected_log.hpp"

namespace dagathlon {

// In each step a node is taken out of the junction tree and put in again, where every edge of the tree at
// which its subtree may end, and every member of a clique that it may leave out, is decided on
// independently by the data. The tree is drawn anew among all of its graph after every `randomise` steps;
// 0 is never.
UndirectedLog parallel_moves(const DecomposableTarget& target, std::size_t randomise, ChainLength length,
                             Stream random);

}  // namespace dagathlon
