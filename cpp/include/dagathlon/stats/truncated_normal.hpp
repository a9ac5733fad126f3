// Draws from a standard normal distribution between two bounds, by rejection (Robert 1995): a proposal for
// each shape of the interval, so that the share of refused ones stays small however far out it lies.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace detail {

// Between bounds that are close together; `nearest` is the point between them where the density is highest.
inline double by_uniform(double low, double high, double nearest, Stream& random) {
  for (;;) {
    const double x = low + (high - low) * random.uniform();
    if (std::log(1 - random.uniform()) <= 0.5 * (nearest * nearest - x * x)) return x;
  }
}

// Above a bound that is at least 0, and below another.
inline double in_tail(double low, double high, Stream& random) {
  const double root = std::sqrt(low * low + 4), rate = 0.5 * (low + root);
  // From this width on exponential proposals beat uniform ones.
  const double width = std::exp(0.5 + 0.25 * (low * low - low * root)) / rate;
  if (high - low < width) return by_uniform(low, high, low, random);
  for (;;) {
    const double x = low - std::log(1 - random.uniform()) / rate;
    const double gap = x - rate;
    if (x <= high && std::log(1 - random.uniform()) <= -0.5 * gap * gap) return x;
  }
}

}  // namespace detail

// The bounds may be infinite; low <= high.
inline double truncated_normal(double low, double high, Stream& random) {
  if (!(low < high)) return low;
  if (low >= 0) return detail::in_tail(low, high, random);
  if (high <= 0) return -detail::in_tail(-high, -low, random);
  if (high - low < std::sqrt(2 * std::numbers::pi)) return detail::by_uniform(low, high, 0.0, random);
  for (;;) {
    const double x = random.normal();
    if (x >= low && x <= high) return x;
  }
}

}  // namespace dagathlon
