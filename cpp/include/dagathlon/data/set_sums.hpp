// Sums over the cells of the contingency table of every small set of columns, in one pass.
//
// A discrete score of a family is a difference of a number of family and parents together and a number of
// the parents (Silander and Myllymäki 2006), so that one number for each set gives all families that are
// made of it, and one table all scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/data/cell_sums.hpp"
#include "dagathlon/data/counting.hpp"
#include "dagathlon/data/discrete_data.hpp"

namespace dagathlon {

// Numbers the sets of up to `largest` of `items` things: by size, and those of a size in the order of their
// greatest members. A set is given in increasing order.
class SetRanks {
 public:
  SetRanks(std::size_t items, std::size_t largest);

  std::size_t items() const { return items_; }
  std::size_t largest() const { return start_.size() - 2; }
  // Number of all sets.
  std::size_t count() const { return start_.back(); }
  std::size_t rank(Nodes members) const {
    std::size_t result = start_[members.size()];
    for (std::size_t k = 0; k < members.size(); ++k) result += part(members[k], k);
    return result;
  }
  // What the k-th member, counted from 0, adds to the rank of a set, and where sets of a size start.
  std::size_t part(std::size_t member, std::size_t k) const { return parts_[k * items_ + member]; }
  std::size_t start(std::size_t size) const { return start_[size]; }

 private:
  std::size_t items_;
  std::vector<std::size_t> parts_;
  std::vector<std::size_t> start_;
};

// What can be summed in one pass.
inline constexpr std::size_t most_sums_at_once = 16;

struct SetSums {
  SetRanks ranks;
  std::vector<CellSum> sums;
  // One sum after the other, for each the sets in the order of their ranks.
  std::vector<double> values;

  double of(std::size_t sum, std::size_t rank) const { return values[sum * ranks.count() + rank]; }
};

// What counting the sets of up to that many columns takes.
struct SetAmounts {
  double sets;
  // Cells of all their tables.
  double cells;
  // Counts that are kept until the end.
  double kept_counts;
  // Counts of the largest table with all that can be added to its set.
  double largest_table;
};
SetAmounts amounts_of(const DiscreteData& data, std::size_t largest);

// Whether tables of all sets of that many columns can be held and read in reasonable time.
bool sets_can_be_counted(const DiscreteData& data, std::size_t largest, std::size_t n_sums);

SetSums count_sets(const DiscreteData& data, std::size_t largest, std::vector<CellSum> sums);

}  // namespace dagathlon
