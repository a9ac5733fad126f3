#include "dagathlon/stats/normal.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace dagathlon {

namespace {

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& c, double x) {
  double value = c[7];
  for (std::size_t k = 7; k-- > 0;) value = value * x + c[k];
  return value;
}

double ratio(const Coefficients& numerator, const Coefficients& denominator, double x) {
  return polynomial(numerator, x) / polynomial(denominator, x);
}

// Coefficients of AS 241, lowest power first.
constexpr Coefficients central_numerator{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                         1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                         3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients central_denominator{1.0,
                                           4.2313330701600911252e1,
                                           6.8718700749205790830e2,
                                           5.3941960214247511077e3,
                                           2.1213794301586595867e4,
                                           3.9307895800092710610e4,
                                           2.8729085735721942674e4,
                                           5.2264952788528545610e3};
constexpr Coefficients middle_numerator{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                        3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                        2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients middle_denominator{1.0,
                                          2.05319162663775882187e0,
                                          1.67638483018380384940e0,
                                          6.89767334985100004550e-1,
                                          1.48103976427480074590e-1,
                                          1.51986665636164571966e-2,
                                          5.47593808499534494600e-4,
                                          1.05075007164441684324e-9};
constexpr Coefficients far_numerator{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                     2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients far_denominator{1.0,
                                       5.99832206555887937690e-1,
                                       1.36929880922735805310e-1,
                                       1.48753612908506148525e-2,
                                       7.86869131145613259100e-4,
                                       1.84631831751005468180e-5,
                                       1.42151175831644588870e-7,
                                       2.04426310338993978564e-15};

}  // namespace

double portable_log(double x) {
  constexpr std::uint64_t mantissa_bits = (std::uint64_t{1} << 52) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & mantissa_bits) | (std::uint64_t{1023} << 52));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 artanh f; |f| < 0.1716, so twelve terms reach the last digit.
  const double f = (m - 1.0) / (m + 1.0);
  const double square = f * f;
  double series = 0.0;
  for (int k = 23; k >= 3; k -= 2) series = (series + 1.0 / k) * square;
  return exponent * 0.6931471805599453 + 2.0 * (f + f * series);
}

double normal_quantile(double q) {
  constexpr double split = 0.425;
  if (std::fabs(q) <= split) return q * ratio(central_numerator, central_denominator, split * split - q * q);
  const double tail = 0.5 - std::fabs(q);
  const double r = std::sqrt(-portable_log(tail));
  const double z =
      r <= 5.0 ? ratio(middle_numerator, middle_denominator, r - 1.6) : ratio(far_numerator, far_denominator, r - 5.0);
  return q < 0.0 ? -z : z;
}

}  // namespace dagathlon
