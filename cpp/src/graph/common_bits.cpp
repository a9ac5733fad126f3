#include "dagathlon/graph/common_bits.hpp"

#include <bit>

#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

namespace {

const bool vector_popcount = has_vector_popcount();

std::size_t count_bits(Word word) { return static_cast<std::size_t>(std::popcount(word)); }

DAGATHLON_POPCOUNT_CLONES std::size_t count_common_by_word(const Word* a, const Word* b, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t k = 0; k < words; ++k) total += count_bits(a[k] & b[k]);
  return total;
}

DAGATHLON_VECTOR_POPCOUNT std::size_t count_common_by_vector(const Word* a, const Word* b, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t k = 0; k < words; ++k) total += count_bits(a[k] & b[k]);
  return total;
}

DAGATHLON_POPCOUNT_CLONES std::size_t common_by_word(const Word* a, const Word* b, Word* to, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t k = 0; k < words; ++k) total += count_bits(to[k] = a[k] & b[k]);
  return total;
}

DAGATHLON_VECTOR_POPCOUNT std::size_t common_by_vector(const Word* a, const Word* b, Word* to, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t k = 0; k < words; ++k) total += count_bits(to[k] = a[k] & b[k]);
  return total;
}

}  // namespace

std::size_t count_common(const Word* a, const Word* b, std::size_t words) {
  return vector_popcount ? count_common_by_vector(a, b, words) : count_common_by_word(a, b, words);
}

std::size_t common(const Word* a, const Word* b, Word* to, std::size_t words) {
  return vector_popcount ? common_by_vector(a, b, to, words) : common_by_word(a, b, to, words);
}

}  // namespace dagathlon
