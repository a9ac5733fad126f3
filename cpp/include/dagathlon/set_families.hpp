// Candidate parent sets from the tables of all sets of columns.
#pragma once

#include <cstddef>

#include "dagathlon/parent_sets.hpp"
#include "dagathlon/set_sums.hpp"

namespace dagathlon {

// The largest set of columns that the families within the limits are made of: a child and its parents.
std::size_t largest_family(const SearchLimits& limits);

// Whether the families within the limits are to be taken from tables of all sets: a score that allows it,
// and few enough sets.
bool families_by_sets_fit(Score& score, const SearchLimits& limits);

// The same as enumerate_parent_sets with `prune`, to the last digit: families that may be worth keeping by
// their tables are scored. The tables hold the sums that the score needs, and sets of largest_family().
Enumeration families_by_sets(Score& score, const SearchLimits& limits, const SetSums& tables);

}  // namespace dagathlon
