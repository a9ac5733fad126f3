#include "dagathlon/data/bit_sums.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace dagathlon {

namespace {

struct Sum {
  Word ones;
  Word twos;
};

// In every place the sum of three bits.
inline Sum sum(Word a, Word b, Word c) {
  const Word different = a ^ b;
  return {different ^ c, (a & b) | (different & c)};
}

// Seven bits in every place; the fours are in `fours`.
inline Sum sum_of_seven(const Word* row, std::size_t step, Word& fours) {
  const Sum first = sum(row[0], row[step], row[2 * step]);
  const Sum second = sum(row[3 * step], row[4 * step], row[5 * step]);
  const Sum third = sum(first.ones, second.ones, row[6 * step]);
  const Sum twos = sum(first.twos, second.twos, third.twos);
  fours = twos.twos;
  return {third.ones, twos.ones};
}

}  // namespace

void BitSums::begin(std::size_t groups, std::size_t words, std::size_t rows) {
  words_ = words;
  digits_ = std::max<std::size_t>(4, static_cast<std::size_t>(std::bit_width(rows)));
  waiting_.assign(groups, 0);
  rows_.resize(groups * together * words);
  digits_of_.assign(groups * digits_ * words, 0);
}

void BitSums::add(const Word* rows, std::span<const std::uint16_t> groups) {
  switch (words_) {
    case 1: return add_rows(rows, groups, std::integral_constant<std::size_t, 1>());
    case 2: return add_rows(rows, groups, std::integral_constant<std::size_t, 2>());
    case 3: return add_rows(rows, groups, std::integral_constant<std::size_t, 3>());
    case 4: return add_rows(rows, groups, std::integral_constant<std::size_t, 4>());
    default: return add_rows(rows, groups, words_);
  }
}

template <class Words>
void BitSums::add_rows(const Word* rows, std::span<const std::uint16_t> groups, Words words) {
  Word* const wait = rows_.data();
  std::uint8_t* const waiting = waiting_.data();
  for (const std::size_t group : groups) {
    const std::size_t before = waiting[group];
    std::copy_n(rows, std::size_t{words}, wait + (group * together + before) * words);
    rows += words;
    waiting[group] = static_cast<std::uint8_t>(before + 1);
    if (before + 1 == together) settle(group, words);
  }
}

// Adds the fifteen rows of a group to its sums.
template <class Words>
void BitSums::settle(std::size_t group, Words words) {
  waiting_[group] = 0;
  const std::size_t step = words;
  for (std::size_t w = 0; w < step; ++w) {
    const Word* row = rows_.data() + group * together * step + w;
    Word fours[2];
    const Sum left = sum_of_seven(row, step, fours[0]);
    const Sum right = sum_of_seven(row + 7 * step, step, fours[1]);
    const Sum ones = sum(left.ones, right.ones, row[14 * step]);
    const Sum twos = sum(left.twos, right.twos, ones.twos);
    const Sum both = sum(fours[0], fours[1], twos.twos);
    const Word digits[] = {ones.ones, twos.ones, both.ones, both.twos};
    Word* to = digits_of_.data() + group * digits_ * step + w;
    Word carry = 0;
    for (const Word digit : digits) {
      const Sum found = sum(*to, digit, carry);
      *to = found.ones;
      carry = found.twos;
      to += step;
    }
    for (; carry != 0; to += step) {
      const Word old = *to;
      *to = old ^ carry;
      carry &= old;
    }
  }
}

void BitSums::read(std::size_t group) {
  if (const std::size_t left = waiting_[group]; left > 0) {
    const std::size_t start = (group * together + left) * words_;
    std::fill_n(rows_.begin() + static_cast<std::ptrdiff_t>(start), (together - left) * words_, Word{0});
    settle(group, words_);
  }
  std::ranges::fill(sums_, 0U);
  const Word* digits = digits_of_.data() + group * digits_ * words_;
  for (std::size_t k = 0; k < digits_; ++k)
    for (std::size_t w = 0; w < words_; ++w)
      for (Word bits = digits[k * words_ + w]; bits != 0; bits &= bits - 1)
        sums_[w * word_bits + static_cast<std::size_t>(std::countr_zero(bits))] += std::uint32_t{1} << k;
}

}  // namespace dagathlon
