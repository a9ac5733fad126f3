#include "dagathlon/test/fourier_test.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/data/standardised.hpp"
#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

// The authors' numbers of features, of x and of y and of the given variables.
constexpr std::size_t few = 5;
constexpr std::size_t many = 100;
constexpr std::size_t products = few * few;
constexpr std::size_t rows_for_width = 500;
// Far above rounding, and about what the kernel test takes; the authors' 1e-10 lets rounding into the digits.
constexpr double ridge = 1e-6;
// Variances of products of residuals below this are rounding.
constexpr double smallest_variance = 1e-9;
constexpr std::size_t kept_bytes = std::size_t{64} << 20;

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// To mean zero and variance one; a constant becomes zero.
void standardise(double* v, std::size_t n) {
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += v[i] / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) v[i] -= mean;
  const double variance = dot(v, v, n) / static_cast<double>(n - 1);
  const double scale = variance > 1e-20 ? 1 / std::sqrt(variance) : 0;
  for (std::size_t i = 0; i < n; ++i) v[i] *= scale;
}

// The number of a stream for a set of columns.
std::uint64_t stream_of(const std::vector<std::size_t>& columns, std::size_t count) {
  std::uint64_t hash = 0x9E3779B97F4A7C15U + count;
  for (const std::size_t c : columns) hash = (hash ^ (c + 1)) * 0x100000001B3U + (hash >> 29);
  return hash;
}

// The tail of a weighted sum of chi-square variables by its first three cumulants (Hall 1983, Buckley and
// Eagleson 1988); the arguments are the sums of the weights, of their squares and of their cubes.
double weighted_tail(double statistic, double first, double second, double third) {
  const double variance = 2 * second;
  const double skew = 8 * third;
  const double df = 8 * variance * variance * variance / (skew * skew);
  const double shifted = (statistic - first) * std::sqrt(2 * df / variance) + df;
  return shifted > 0 ? chi_square_tail(shifted, df) : 1;
}

}  // namespace

FourierTest::FourierTest(std::span<const ValueColumn> columns, std::size_t rows, FourierOptions options)
    : rows_(rows), options_(options) {
  StandardisedColumns scaled = standardised(columns, rows);
  values_ = std::move(scaled.values);
  constant_ = std::move(scaled.constant);
}

double FourierTest::width(const std::vector<std::size_t>& columns) const {
  const std::size_t n = std::min(rows_, rows_for_width);
  std::vector<double> distances;
  distances.reserve(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      double sum = 0;
      for (const std::size_t c : columns) {
        const double apart = values_[c * rows_ + i] - values_[c * rows_ + j];
        sum += apart * apart;
      }
      if (sum > 0) distances.push_back(sum);
    }
  if (distances.empty()) return 1;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::ranges::nth_element(distances, middle);
  return std::sqrt(*middle);
}

FourierTest::Features FourierTest::features(const std::vector<std::size_t>& columns, std::size_t count) const {
  Stream random(options_.seed, stream_of(columns, count));
  const double scale = 1 / width(columns);
  Features found(count * rows_);
  for (std::size_t f = 0; f < count; ++f) {
    pulse::beat(rows_);
    double* out = found.data() + f * rows_;
    const double shift = 2 * std::numbers::pi * random.uniform();
    std::fill(out, out + rows_, shift);
    for (const std::size_t c : columns) {
      const double weight = random.normal() * scale;
      for (std::size_t i = 0; i < rows_; ++i) out[i] += weight * values_[c * rows_ + i];
    }
    for (std::size_t i = 0; i < rows_; ++i) out[i] = std::cos(out[i]);
    standardise(out, rows_);
  }
  return found;
}

std::shared_ptr<const FourierTest::Given> FourierTest::given_features(const std::vector<std::size_t>& columns) {
  if (const auto place = known_.find(columns); place != known_.end()) return place->second;
  const std::size_t count = std::max<std::size_t>(1, std::min(many, rows_ / 2));
  Features cosines = features(columns, count);
  SquareMatrix covariance(count);
  for (std::size_t a = 0; a < count; ++a) {
    pulse::beat(rows_);
    for (std::size_t b = 0; b <= a; ++b)
      covariance(a, b) = covariance(b, a) =
          dot(cosines.data() + a * rows_, cosines.data() + b * rows_, rows_) / static_cast<double>(rows_ - 1);
    covariance(a, a) += ridge;
  }
  std::optional<Inverse> inverted = inverse(covariance);
  if (!inverted) return nullptr;
  if ((known_.size() + 1) * cosines.size() * sizeof(double) > kept_bytes) known_.clear();
  auto found = std::make_shared<const Given>(Given{std::move(cosines), std::move(inverted->matrix), count});
  known_.emplace(columns, found);
  return found;
}

FourierTest::Features FourierTest::residuals(const Features& of, const Given& given) const {
  Features rest = of;
  std::vector<double> covariance(given.count);
  for (std::size_t f = 0; f < few; ++f) {
    double* out = rest.data() + f * rows_;
    for (std::size_t z = 0; z < given.count; ++z)
      covariance[z] =
          dot(of.data() + f * rows_, given.features.data() + z * rows_, rows_) / static_cast<double>(rows_ - 1);
    for (std::size_t z = 0; z < given.count; ++z) {
      const double slope = dot(given.inverse.row(z), covariance.data(), given.count);
      const double* cosine = given.features.data() + z * rows_;
      for (std::size_t i = 0; i < rows_; ++i) out[i] -= slope * cosine[i];
    }
  }
  return rest;
}

TestResult FourierTest::judged(const Features& x, const Features& rest_x, const Features& rest_y) const {
  const auto n = static_cast<double>(rows_);
  double statistic = 0;
  for (std::size_t a = 0; a < few; ++a)
    for (std::size_t b = 0; b < few; ++b) {
      const double covariance = dot(x.data() + a * rows_, rest_y.data() + b * rows_, rows_) / (n - 1);
      statistic += n * covariance * covariance;
    }
  // Under independence the statistic is a sum of chi-square variables, weighted by the eigenvalues of the
  // covariances of the products; their power sums are traces.
  SquareMatrix spread(products);
  std::vector<double> product(products);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t a = 0; a < few; ++a)
      for (std::size_t b = 0; b < few; ++b) product[a * few + b] = rest_x[a * rows_ + i] * rest_y[b * rows_ + i];
    for (std::size_t p = 0; p < products; ++p)
      for (std::size_t q = 0; q < products; ++q) spread(p, q) += product[p] * product[q] / n;
  }
  SquareMatrix squared(products);
  multiply(spread, spread, squared);
  double cubes = 0;
  for (std::size_t p = 0; p < products; ++p) cubes += dot(squared.row(p), spread.row(p), products);
  const double first = trace(spread);
  if (!(first > smallest_variance && cubes > 0)) return {0, 0, 1, false};
  return {statistic, 0, weighted_tail(statistic, first, trace(squared), cubes), true};
}

TestResult FourierTest::run(std::size_t x, std::size_t y, Nodes given) {
  if (constant_[x] || constant_[y]) return {0, 0, 1, false};
  // The test treats the two differently: the first of the data is always x.
  if (y < x) std::swap(x, y);
  std::vector<std::size_t> known;
  for (const std::size_t z : given)
    if (!constant_[z]) known.push_back(z);
  std::ranges::sort(known);
  std::vector<std::size_t> of_y{y};
  if (options_.joined) of_y.insert(of_y.end(), known.begin(), known.end());
  const Features cosines_x = features({x}, few);
  const Features cosines_y = features(of_y, few);
  if (known.empty()) return judged(cosines_x, cosines_x, cosines_y);
  const std::shared_ptr<const Given> known_features = given_features(known);
  if (!known_features) return {0, 0, 1, false};
  return judged(cosines_x, residuals(cosines_x, *known_features), residuals(cosines_y, *known_features));
}

}  // namespace dagathlon
