#include "dagathlon/graph/distance.hpp"

#include <bit>

#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

DAGATHLON_POPCOUNT_CLONES std::size_t differing_pairs(const MarkedGraph& a, const MarkedGraph& b) {
  std::size_t cells = 0;
  const std::size_t words = a.far_words(Mark::arrow).size();
  for (std::size_t k = 0; k < words; ++k) {
    Word differing = 0;
    for (const Mark m : {Mark::circle, Mark::arrow, Mark::tail})
      differing |= (a.far_words(m)[k] ^ b.far_words(m)[k]) | (a.near_words(m)[k] ^ b.near_words(m)[k]);
    cells += static_cast<std::size_t>(std::popcount(differing));
  }
  // Each pair shows in the rows of both of its nodes.
  return cells / 2;
}

}  // namespace dagathlon
