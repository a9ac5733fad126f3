// The skeleton search of PC: remove edges whose ends some set of neighbours separates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/test/independence.hpp"
#include "dagathlon/graph/pair_table.hpp"

namespace dagathlon {

// For pairs of nodes, the set that separated them. Most sets are empty, and are bits.
class SeparatingSets {
 public:
  explicit SeparatingSets(std::size_t n) : n_(n), empty_(n) {}

  void put(std::size_t x, std::size_t y, Nodes set);
  // All other nodes separated them; kept as a bit, which no later set replaces.
  void put_all_others(std::size_t x, std::size_t y) {
    put(x, y, {});
    if (all_others_.size() == 0) all_others_ = BitMatrix(n_);
    all_others_.set(std::min(x, y), std::max(x, y));
  }
  // Makes room for more sets that are not empty, of so many members in all.
  void reserve(std::size_t sets, std::size_t members) {
    start_.reserve(sets);
    pool_.reserve(pool_.size() + sets + members);
  }
  // Whether a set is known, even an empty one.
  bool known(std::size_t x, std::size_t y) const { return time(x, y) != 0; }
  std::span<const std::uint32_t> get(std::size_t x, std::size_t y) const;
  bool contains(std::size_t x, std::size_t y, std::size_t node) const;
  // Grows with the time at which a set was put; the same for all empty sets.
  std::size_t time(std::size_t x, std::size_t y) const {
    return empty_.test(std::min(x, y), std::max(x, y)) ? 1 : start_.get(cell(x, y));
  }

 private:
  std::uint64_t cell(std::size_t x, std::size_t y) const { return std::min(x, y) * n_ + std::max(x, y); }

  std::size_t n_;
  BitMatrix empty_;       // from the lower to the higher number
  BitMatrix all_others_;  // the same; of no size where no pair has all others
  PairTable start_;       // two more than the place of the set's size in the pool
  std::vector<std::uint32_t> pool_;
};

struct SkeletonOptions {
  double alpha = 0.05;
  std::size_t max_order = no_node;
  // Whether neighbours are those at the beginning of each level, so that the order of the variables
  // does not matter, or those left at the moment.
  bool stable = true;
  // Whether only neighbours of the first node of a pair are tried, as gCastle does.
  bool one_sided = false;
  // Whether sets are tried from both ends even if they are neighbours of both: for tests that may give
  // another answer the second time.
  bool ask_again = false;
  // All nodes in the order in which neighbours are tried; empty for that of the columns.
  std::vector<std::size_t> sequence;
  // Pairs that are never, and always, adjacent; symmetric.
  BitMatrix fixed_gaps;
  BitMatrix fixed_edges;
  // From row to column: which variables knowledge lets be causes of which. Where it is given, a test
  // conditions only on possible causes of one of the two: never on the future of both.
  BitMatrix possible_causes;

  bool may_condition(std::size_t z, std::size_t x, std::size_t y) const {
    return possible_causes.size() == 0 || possible_causes.test(z, x) || possible_causes.test(z, y);
  }
};

struct Skeleton {
  BitMatrix adjacent;
  SeparatingSets separating;
  // Tests of each level.
  std::vector<std::size_t> tests;
};

// No test is made twice, unless the options say so: sets that are neighbours of both ends are tried from
// one end only.
Skeleton find_skeleton(IndependenceTest& test, const SkeletonOptions& options);

// Tests the edges again whose ends have a common neighbour, with a test that corrects for gaps in the
// data: only they can owe their existence to the gaps (Tu et al. 2019).
void recheck_edges(IndependenceTest& corrected, Skeleton& skeleton, const SkeletonOptions& options);

// Which nodes a directed path can lead from row to column, when none of these edges may be there.
BitMatrix possible_ancestors(const BitMatrix& forbidden);

}  // namespace dagathlon
