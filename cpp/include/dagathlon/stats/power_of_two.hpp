// Numbers as a mantissa and a power of 2 of any size.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace dagathlon {

// The power of a mantissa of 0. The sum of one for each of 24 nodes is still an int32.
inline constexpr std::int32_t lowest_power = -(1 << 26);

// 2^k for k of at most 0, and 0 where that is too small for a normal number.
inline double power_of_two(std::int32_t k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(std::max(k, -1023) + 1023) << 52U);
}

// Adds other·2^other_power; the power of the sum is the larger one.
inline void add_scaled(double& value, std::int32_t& power, double other, std::int32_t other_power) {
  if (other == 0.0) return;
  if (value == 0.0) {
    value = other;
    power = other_power;
  } else if (other_power <= power) {
    value += other * power_of_two(other_power - power);
  } else {
    value = value * power_of_two(power - other_power) + other;
    power = other_power;
  }
}

}  // namespace dagathlon
