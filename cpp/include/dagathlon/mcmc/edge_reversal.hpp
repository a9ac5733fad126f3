// A move of a Markov chain over DAGs that turns an edge and draws both of its ends new parents.
#pragma once

#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/mcmc/parent_table.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// The edge reversal of Grzegorczyk and Husmeier (2008), accepted or not; whether it was. The posterior
// stays as it is. An edge with an end whose parents are not in its table is never turned, which is the
// same from both sides. The DAG's score is not kept up.
enum class Inside { surely, perhaps };
bool reverse_edge(const ParentTables& tables, BitMatrix& parents, Stream& random, Inside inside);

}  // namespace dagathlon
