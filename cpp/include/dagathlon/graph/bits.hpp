// Sets of nodes as rows of 64-bit words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dagathlon {

using Word = std::uint64_t;
using Row = std::span<Word>;
using ConstRow = std::span<const Word>;

inline constexpr std::size_t word_bits = 64;

constexpr std::size_t words_for(std::size_t n) { return (n + word_bits - 1) / word_bits; }

inline bool test(ConstRow row, std::size_t i) { return (row[i / word_bits] >> (i % word_bits)) & 1U; }
inline void set(Row row, std::size_t i) { row[i / word_bits] |= Word{1} << (i % word_bits); }
inline void reset(Row row, std::size_t i) { row[i / word_bits] &= ~(Word{1} << (i % word_bits)); }

inline bool any(ConstRow row) {
  return std::any_of(row.begin(), row.end(), [](Word w) { return w != 0; });
}

inline std::size_t count(ConstRow row) {
  std::size_t total = 0;
  for (const Word w : row) total += static_cast<std::size_t>(std::popcount(w));
  return total;
}

inline bool intersects(ConstRow a, ConstRow b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] & b[k]) return true;
  return false;
}

inline bool is_subset(ConstRow a, ConstRow b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] & ~b[k]) return false;
  return true;
}

inline void unite(Row a, ConstRow b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] |= b[k];
}

inline void intersect(Row a, ConstRow b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] &= b[k];
}

inline void subtract(Row a, ConstRow b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] &= ~b[k];
}

// Calls visit(i) for every member in increasing order. The row is read word by word, so members
// of the current word that `visit` removes are still visited.
template <class Visit>
void for_each(ConstRow row, Visit&& visit) {
  for (std::size_t k = 0; k < row.size(); ++k)
    for (Word w = row[k]; w != 0; w &= w - 1) visit(k * word_bits + static_cast<std::size_t>(std::countr_zero(w)));
}

// The smallest member, or `no_node` for an empty row.
inline constexpr std::size_t no_node = static_cast<std::size_t>(-1);
inline std::size_t first(ConstRow row) {
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k]) return k * word_bits + static_cast<std::size_t>(std::countr_zero(row[k]));
  return no_node;
}

// The largest member, or `no_node` for an empty row.
inline std::size_t last(ConstRow row) {
  for (std::size_t k = row.size(); k-- > 0;)
    if (row[k]) return k * word_bits + word_bits - 1 - static_cast<std::size_t>(std::countl_zero(row[k]));
  return no_node;
}

// A set of nodes that owns its words.
class BitSet {
 public:
  explicit BitSet(std::size_t n) : words_(words_for(n)) {}
  BitSet(std::size_t n, ConstRow row) : words_(row.begin(), row.end()) { words_.resize(words_for(n)); }

  operator Row() { return words_; }
  operator ConstRow() const { return words_; }
  Row row() { return words_; }
  ConstRow row() const { return words_; }
  bool test(std::size_t i) const { return dagathlon::test(words_, i); }
  void set(std::size_t i) { dagathlon::set(words_, i); }
  void reset(std::size_t i) { dagathlon::reset(words_, i); }
  void clear() { std::fill(words_.begin(), words_.end(), Word{0}); }
  bool operator==(const BitSet&) const = default;

 private:
  std::vector<Word> words_;
};

// A square bit matrix, one padded row of words per node.
class BitMatrix {
 public:
  BitMatrix() = default;
  explicit BitMatrix(std::size_t n) : n_(n), stride_(words_for(n)), words_(n * stride_) {}

  std::size_t size() const { return n_; }
  Row operator[](std::size_t i) { return {words_.data() + i * stride_, stride_}; }
  ConstRow operator[](std::size_t i) const { return {words_.data() + i * stride_, stride_}; }
  bool test(std::size_t i, std::size_t j) const { return dagathlon::test((*this)[i], j); }
  void set(std::size_t i, std::size_t j) { dagathlon::set((*this)[i], j); }
  void reset(std::size_t i, std::size_t j) { dagathlon::reset((*this)[i], j); }
  ConstRow words() const { return words_; }
  bool operator==(const BitMatrix&) const = default;

 private:
  std::size_t n_ = 0;
  std::size_t stride_ = 0;
  std::vector<Word> words_;
};

}  // namespace dagathlon
