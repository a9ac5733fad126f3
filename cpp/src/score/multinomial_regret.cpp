#include "dagathlon/score/multinomial_regret.hpp"

#include <cmath>

namespace dagathlon {

namespace {

constexpr double max_exact_levels = 100;

// The sum of n!/(n-k)!/n^k over k: two levels. Terms fall like exp(-k²/2n).
double two_levels(double n) {
  double sum = 0;
  double term = 1;
  for (double k = 0; k <= n && term > 1e-17 * sum; ++k) {
    sum += term;
    term *= (n - k) / n;
  }
  return sum;
}

double exact(double n, std::size_t levels) {
  double before = 1;
  double now = two_levels(n);
  for (std::size_t k = 1; k + 2 <= levels; ++k) {
    const double next = now + n / static_cast<double>(k) * before;
    before = now;
    now = next;
  }
  return std::log(now);
}

double approximate(double n, double levels) {
  const double a = levels / n;
  const double c = 0.5 + 0.5 * std::sqrt(1 + 4 / a);
  return n * (std::log(a) + (a + 2) * std::log(c) - 1 / c) - 0.5 * std::log(c + 2 / a);
}

}  // namespace

double MultinomialRegret::operator()(std::size_t n, double levels) {
  if (n == 0 || levels <= 1) return 0;
  const auto rows = static_cast<double>(n);
  if (levels > max_exact_levels) return approximate(rows, levels);
  const auto whole = static_cast<std::size_t>(levels);
  const auto [place, is_new] = known_.try_emplace(n * 128 + whole, 0.0);
  if (is_new) place->second = exact(rows, whole);
  return place->second;
}

}  // namespace dagathlon
