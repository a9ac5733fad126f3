// Candidate parent sets from the tables of all sets of columns.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dagathlon/score/parent_sets.hpp"
#include "dagathlon/data/set_sums.hpp"

namespace dagathlon {

// The largest set of columns that the families within the limits are made of: a child and its parents.
std::size_t largest_family(const SearchLimits& limits);

// How tables of all sets are to be counted, if at all: a score that allows it, and few enough sets.
enum class SetPass { none, small_sets, every_set };
SetPass set_pass(Score& score, const SearchLimits& limits);

// Whether that many sums for each set can be had at once.
bool sums_fit(SetPass pass, Score& score, const SearchLimits& limits, std::size_t n_sums);

// The tables of all sets that the families within the limits are made of.
SetSums count_for(SetPass pass, const DiscreteData& data, std::size_t largest, std::vector<CellSum> sums);

// The same as enumerate_parent_sets with `prune`, to the last digit: families that may be worth keeping by
// their tables are scored. The tables hold the sums that the score needs, and sets of largest_family().
Enumeration families_by_sets(Score& score, const SearchLimits& limits, const SetSums& tables);

// The same for scores that have the terms of all parent sets of a node at once, if this one has and the limits
// leave most of them.
std::optional<Enumeration> families_by_lists(Score& score, const SearchLimits& limits);

}  // namespace dagathlon
