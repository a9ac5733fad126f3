// Sums of rows of bits, place by place and group by group: what counts many columns in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

// Rows wait until there are fifteen of their group, whose sums are numbers of four bits; these are added to the
// sums of the group, of which the k-th bits of all places stand in one row. So a row costs a few operations
// per word, whatever the number of places and, as long as those who wait fit the cache, of groups.
class BitSums {
 public:
  // Of so many groups and rows; everything is zero.
  void begin(std::size_t groups, std::size_t words, std::size_t rows);

  // Adds rows that stand one after the other, each to its group.
  void add(const Word* rows, std::span<const std::uint16_t> groups);

  // Adds the rows that still wait; then calls visit(group, sums) for every group with a row whose first bit is set, in
  // increasing order, with so many sums.
  template <class Visit>
  void finish(std::size_t places, Visit&& visit) {
    sums_.resize(words_ * word_bits);
    for (std::size_t g = 0; g < waiting_.size(); ++g) {
      read(g);
      if (sums_[0] > 0) visit(g, std::span<const std::uint32_t>(sums_).first(places));
    }
  }

 private:
  static constexpr std::size_t together = 15;

  template <class Words>
  void add_rows(const Word* rows, std::span<const std::uint16_t> groups, Words words);
  template <class Words>
  void settle(std::size_t group, Words words);
  void read(std::size_t group);

  std::size_t words_ = 0;
  // Bits of the largest sum.
  std::size_t digits_ = 0;
  std::vector<std::uint8_t> waiting_;
  std::vector<Word> rows_;
  std::vector<Word> digits_of_;
  std::vector<std::uint32_t> sums_;
};

}  // namespace dagathlon
