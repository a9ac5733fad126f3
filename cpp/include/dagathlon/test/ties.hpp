// P-values that differ by rounding alone count as equal.
#pragma once

#include <cmath>
#include <cstddef>

namespace dagathlon {

// The value with 36 binary digits. Tables that are equal up to the names of their levels have p-values
// that differ in the last digits, by the order of summation; the order of the variables is to decide.
inline double without_rounding(double value) {
  int exponent = 0;
  const double digits = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(digits, 36)), exponent - 36);
}

// How strongly a node depends on another. The rank is what associations are sorted by: it takes longer than all the
// comparisons that ask for it.
struct Association {
  Association(double p, std::size_t to) : p_value(p), node(to), rank(without_rounding(p)) {}

  double p_value;
  std::size_t node;
  double rank;
};

}  // namespace dagathlon
