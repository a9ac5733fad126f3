// Random numbers with a gamma distribution.
#pragma once

#include <cmath>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// With density proportional to x^(shape-1) exp(-x), by rejection from a transformed normal (Marsaglia and
// Tsang 2000).
inline double gamma_draw(double shape, Stream& random) {
  if (shape < 1) {
    const double larger = gamma_draw(shape + 1, random);
    return larger * std::pow(1 - random.uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double z = random.normal(), root = 1 + c * z;
    if (root <= 0) continue;
    const double v = root * root * root, u = 1 - random.uniform();
    if (u < 1 - 0.0331 * z * z * z * z || std::log(u) < 0.5 * z * z + d * (1 - v + std::log(v))) return d * v;
  }
}

inline double chi_square(double freedom, Stream& random) { return 2 * gamma_draw(freedom / 2, random); }

}  // namespace dagathlon
