// A Bayesian network of many yes/no answers, from few samples of them.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

// For each answer its parents among the answers before it: one after the other the one that raises BDeu most,
// as long as one does, at most `max_parents`. Each answer is a set of the samples in which it was yes.
std::vector<std::vector<std::size_t>> answer_parents(const std::vector<BitSet>& answers, std::size_t samples,
                                                     std::size_t max_parents, double iss);

}  // namespace dagathlon
