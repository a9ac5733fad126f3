#include "dagathlon/stats/random.hpp"

#include <algorithm>

namespace dagathlon {

namespace {

constexpr std::size_t lanes = 8;
using Lanes = std::array<std::uint32_t, lanes>;

// `lanes` consecutive blocks of Philox, word by word. The words stay 32 bits wide and the products 64:
// the shape that compilers turn into vector multiplications.
void philox_lanes(std::array<Lanes, 4>& counter, PhiloxKey key) {
  for (int round = 0; round < philox_rounds; ++round) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::uint64_t a = std::uint64_t{philox_multiplier_0} * counter[0][i];
      const std::uint64_t b = std::uint64_t{philox_multiplier_1} * counter[2][i];
      counter[0][i] = static_cast<std::uint32_t>(b >> 32) ^ counter[1][i] ^ key[0];
      counter[1][i] = static_cast<std::uint32_t>(b);
      counter[2][i] = static_cast<std::uint32_t>(a >> 32) ^ counter[3][i] ^ key[1];
      counter[3][i] = static_cast<std::uint32_t>(a);
    }
    key[0] += philox_weyl_0;
    key[1] += philox_weyl_1;
  }
}

}  // namespace

void fill_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::span<std::uint64_t> out) {
  const PhiloxKey key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  std::array<Lanes, 4> words;
  std::array<std::uint64_t, 2 * lanes> draws;
  for (std::size_t done = 0; done < out.size(); done += draws.size()) {
    const std::uint64_t block = (first + done) / 2;
    for (std::size_t i = 0; i < lanes; ++i) {
      words[0][i] = static_cast<std::uint32_t>(block + i);
      words[1][i] = static_cast<std::uint32_t>((block + i) >> 32);
      words[2][i] = static_cast<std::uint32_t>(stream);
      words[3][i] = static_cast<std::uint32_t>(stream >> 32);
    }
    philox_lanes(words, key);
    for (std::size_t i = 0; i < lanes; ++i) {
      draws[2 * i] = words[0][i] | std::uint64_t{words[1][i]} << 32;
      draws[2 * i + 1] = words[2][i] | std::uint64_t{words[3][i]} << 32;
    }
    const std::size_t count = std::min(draws.size(), out.size() - done);
    std::copy_n(draws.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(done));
  }
}

}  // namespace dagathlon
