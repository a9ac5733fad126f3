// Standard normal draws with the same digits on every machine.
//
// The quantile function is Wichura's algorithm AS 241 (PPND16, relative error about 1e-16). It uses
// + - * / and the square root, which IEEE 754 rounds in one way only, and a logarithm of our own made
// of the same operations: the C library's logarithm differs between machines in the last digit.
#pragma once

#include <cstdint>

namespace dagathlon {

// The natural logarithm of a positive normal number.
double portable_log(double x);

// The z with P(Z <= z) = 0.5 + q, for -0.5 < q < 0.5; taking q keeps both tails equally fine.
double normal_quantile(double q);

// The quantile at the middle of one of 2^53 equal cells of (0, 1), chosen by the high bits.
inline double to_normal(std::uint64_t bits) {
  const auto cell = static_cast<double>(static_cast<std::int64_t>(bits >> 11));
  return normal_quantile((cell - 0x1p52 + 0.5) * 0x1p-53);
}

}  // namespace dagathlon
