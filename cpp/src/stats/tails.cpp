#include "dagathlon/stats/constants.hpp"
#include "dagathlon/stats/tails.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/stats/normal.hpp"

namespace dagathlon {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double tiny = 1e-300;

// log Γ(a+1) minus Stirling's approximation (a+1/2) log a - a + log √(2π).
double stirling_rest(double a) {
  double rest = 0.0;
  for (; a < 15.0; a += 1.0) rest += (a + 0.5) * std::log1p(1.0 / a) - 1.0;
  const double square = a * a;
  const double series =
      (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - (1.0 / 1188) / square) / square) / square) / square) / a;
  return rest + series;
}

// a log(a/x) + x - a without cancellation where x is near a.
double deviance(double a, double x) {
  const double difference = a - x;
  if (std::fabs(difference) >= 0.1 * (a + x)) return a * std::log(a / x) + x - a;
  const double v = difference / (a + x);
  double sum = difference * v;
  double term = 2.0 * a * v;
  for (int j = 3;; j += 2) {
    term *= v * v;
    const double next = sum + term / j;
    if (next == sum) return sum;
    sum = next;
  }
}

// x^a e^-x / Γ(a+1).
double poisson_term(double a, double x) {
  return std::exp(-stirling_rest(a) - deviance(a, x) - half_log_two_pi) / std::sqrt(a);
}

// Σ x^n / ((a+1)…(a+n)), the lower incomplete gamma function over its leading term.
double gamma_series(double a, double x) {
  double sum = 1.0;
  double term = 1.0;
  for (double n = 1.0; term > epsilon * 0.25 * sum; n += 1.0) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

// The continued fraction of the upper incomplete gamma function (Lentz's method).
double gamma_fraction(double a, double x) {
  double b = x + 1.0 - a;
  double c = 1.0 / tiny;
  double d = 1.0 / b;
  double value = d;
  for (double n = 1.0;; n += 1.0) {
    const double factor = -n * (n - a);
    b += 2.0;
    d = factor * d + b;
    if (std::fabs(d) < tiny) d = tiny;
    c = b + factor / c;
    if (std::fabs(c) < tiny) c = tiny;
    d = 1.0 / d;
    value *= d * c;
    if (std::fabs(d * c - 1.0) <= epsilon) return value;
  }
}

// The series and the fraction take about √a steps, without end for the degrees of freedom of a table
// over a hundred variables. There the cube root is normal (Wilson and Hilferty 1931), to 1/a.
constexpr double most_for_sums = 1e10;

double upper_gamma_of_many(double a, double x) {
  const double z = 3.0 * std::sqrt(a) * (std::cbrt(x / a) - (1.0 - 1.0 / (9.0 * a)));
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double upper_gamma(double a, double x) {
  if (x <= 0.0) return 1.0;
  if (std::isinf(x)) return 0.0;
  if (a > most_for_sums) return upper_gamma_of_many(a, x);
  if (x < a + 1.0) return 1.0 - poisson_term(a, x) * gamma_series(a, x);
  return poisson_term(a, x) * a * gamma_fraction(a, x);
}

// The continued fraction of the incomplete beta function (Lentz's method).
double beta_fraction(double a, double b, double x) {
  double c = 1.0;
  double d = 1.0 - (a + b) * x / (a + 1.0);
  if (std::fabs(d) < tiny) d = tiny;
  d = 1.0 / d;
  double value = d;
  const auto step = [&](double factor) {
    d = 1.0 + factor * d;
    if (std::fabs(d) < tiny) d = tiny;
    c = 1.0 + factor / c;
    if (std::fabs(c) < tiny) c = tiny;
    d = 1.0 / d;
    value *= d * c;
    return std::fabs(d * c - 1.0) > epsilon;
  };
  for (double m = 1.0; m < 1e6; m += 1.0) {
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    if (!step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)))) break;
  }
  return value;
}

// log(Γ(a+1/2) / Γ(a)).
double log_half_step(double a) {
  return a * std::log1p(0.5 / a) + 0.5 * std::log(a) - 0.5 + stirling_rest(a + 0.5) - stirling_rest(a);
}

}  // namespace

double normal_two_sided(double z) { return std::erfc(std::fabs(z) / std::sqrt(2.0)); }

double normal_critical(double p) {
  if (p >= 1.0) return 0.0;
  return p > 0.0 ? -normal_quantile(p / 2 - 0.5) : std::numeric_limits<double>::infinity();
}

double chi_square_tail(double x, double df) { return std::clamp(upper_gamma(df / 2, x / 2), 0.0, 1.0); }

double chi_square_critical(double p, double df) {
  // The cube root is nearly normal (Wilson and Hilferty); Newton's method does the rest.
  const double spread = 2.0 / (9.0 * df);
  const double root = 1.0 - spread - normal_quantile(p - 0.5) * std::sqrt(spread);
  double x = std::max(df * root * root * root, 1e-8);
  for (int k = 0; k < 60; ++k) {
    // In the logarithm of the tail the steps stay sure far out.
    const double tail = chi_square_tail(x, df);
    const double density = poisson_term(df / 2, x / 2) * (df / 2) / x;
    const double step = std::log(tail / p) * tail / density;
    const double next = std::max(x + step, x / 8);
    const bool done = std::fabs(next - x) <= 1e-13 * x;
    x = next;
    if (done) break;
  }
  return x;
}

double correlation_two_sided(double r, double df) {
  const double square = r * r;
  if (square >= 1.0) return 0.0;
  if (square == 0.0) return 1.0;
  const double a = df / 2;
  const double rest = (1.0 - std::fabs(r)) * (1.0 + std::fabs(r));
  const double log_rest = square < 0.5 ? std::log1p(-square) : std::log(rest);
  const double log_front = a * log_rest + std::log(std::fabs(r)) + log_half_step(a) - 0.57236494292470008707;
  if (rest < (a + 1.0) / (a + 2.5)) return std::exp(log_front) / a * beta_fraction(a, 0.5, rest);
  return 1.0 - 2.0 * std::exp(log_front) * beta_fraction(0.5, a, square);
}

double f_tail(double f, double df1, double df2) {
  if (!(f > 0.0)) return 1.0;
  // The terms of the beta function differ by less than a double can tell.
  if (df2 > 1e8) return chi_square_tail(f * df1, df1);
  const double a = df2 / 2;
  const double b = df1 / 2;
  const double ratio = df1 * f / df2;
  const double x = 1.0 / (1.0 + ratio);
  const double log_front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) - a * std::log1p(ratio) +
                           b * (std::log(ratio) - std::log1p(ratio));
  if (x < (a + 1.0) / (a + b + 2.0)) return std::exp(log_front) / a * beta_fraction(a, b, x);
  return 1.0 - std::exp(log_front) / b * beta_fraction(b, a, 1.0 - x);
}

double correlation_critical(double p, double df) {
  if (p >= 1.0) return 0.0;
  if (p <= 0.0) return 1.0;
  double low = 0.0;
  double high = 1.0;
  for (int k = 0; k < 80; ++k) {
    const double middle = (low + high) / 2;
    (correlation_two_sided(middle, df) > p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace dagathlon
