// Random streams that are functions of (seed, stream, position): no state to share, so that neither
// threads nor the order of the work can change a result.
//
// The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as
// 1, 2, 3", SC11). The 64-bit seed is its key; the low half of the 128-bit counter is the position in
// the stream, the high half the stream's number. A block of 128 bits makes two draws of 64 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "dagathlon/stats/normal.hpp"

namespace dagathlon {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

inline constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53U;
inline constexpr std::uint32_t philox_multiplier_1 = 0xCD9E8D57U;
inline constexpr std::uint32_t philox_weyl_0 = 0x9E3779B9U;
inline constexpr std::uint32_t philox_weyl_1 = 0xBB67AE85U;
inline constexpr int philox_rounds = 10;

constexpr PhiloxBlock philox(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < philox_rounds; ++round) {
    const std::uint64_t a = std::uint64_t{philox_multiplier_0} * counter[0];
    const std::uint64_t b = std::uint64_t{philox_multiplier_1} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += philox_weyl_0;
    key[1] += philox_weyl_1;
  }
  return counter;
}

// The 53 high bits as a number in [0, 1), each multiple of 2^-53 equally likely.
constexpr double to_uniform(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-53;
}

// A sequence of draws: the same for the same seed and stream number, on every machine.
class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t stream, std::uint64_t position = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        stream_(stream),
        position_(position) {
    if (position_ % 2 == 1) refill();
  }

  // 64 random bits.
  std::uint64_t bits() {
    if (position_ % 2 == 0) refill();
    return pair_[position_++ % 2];
  }

  // Uniform on [0, 1) with 53 bits.
  double uniform() { return to_uniform(bits()); }

  // The uniform number that comes after so many others, which are still to come.
  double ahead(std::size_t numbers) const {
    Stream later = *this;
    for (std::size_t k = 0; k < numbers; ++k) later.bits();
    return later.uniform();
  }

  // Uniform on {0, …, n-1}, exactly: the few products that would favour some value are drawn again
  // (Lemire 2019). n is at least 1.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t surplus = (0 - n) % n;
    Wide product = Wide{bits()} * n;
    while (static_cast<std::uint64_t>(product) < surplus) product = Wide{bits()} * n;
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Standard normal by inversion: one draw of bits each (see normal.hpp).
  double normal() { return to_normal(bits()); }

  // All orders equally likely (Fisher and Yates).
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  __extension__ using Wide = unsigned __int128;

  void refill() {
    const std::uint64_t block = position_ / 2;
    const PhiloxBlock words = philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                                      static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                                     key_);
    pair_[0] = words[0] | std::uint64_t{words[1]} << 32;
    pair_[1] = words[2] | std::uint64_t{words[3]} << 32;
  }

  PhiloxKey key_;
  std::uint64_t stream_;
  std::uint64_t position_;
  std::array<std::uint64_t, 2> pair_{};
};

// The draws at first, first+1, … of a stream, as Stream::bits() would give them one after the other;
// written so that the compiler works on several blocks at once. `first` is even.
void fill_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::span<std::uint64_t> out);

}  // namespace dagathlon
