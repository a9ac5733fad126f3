// P-values that differ by rounding alone count as equal.
#pragma once

#include <cmath>

namespace dagathlon {

// The value with 36 binary digits. Tables that are equal up to the names of their levels have p-values
// that differ in the last digits, by the order of summation; the order of the variables is to decide.
inline double without_rounding(double value) {
  int exponent = 0;
  const double digits = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(digits, 36)), exponent - 36);
}

}  // namespace dagathlon
