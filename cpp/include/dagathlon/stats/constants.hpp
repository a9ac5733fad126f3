// Mathematical constants that the standard library lacks.
#pragma once

#include <limits>

namespace dagathlon {

inline constexpr double log_two_pi = 1.8378770664093454836;
inline constexpr double half_log_two_pi = 0.91893853320467274178;
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double minus_infinity = -infinity;

}  // namespace dagathlon
