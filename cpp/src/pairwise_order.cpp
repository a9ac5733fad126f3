#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "dagathlon/dispatch.hpp"
#include "dagathlon/lingam.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t width = 8;
// Products of so many factors below 2 cannot overflow.
constexpr std::size_t chunk = 512 * width;

// e^x for x ≤ 0, to about two units in the last place; branch-free, so that loops become vector code.
inline double exponential(double x) {
  constexpr double magic = 6755399441055744.0;
  constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  const double bounded = x < -700.0 ? -700.0 : x;
  const double shifted = bounded * std::numbers::log2e + magic;
  const double whole = shifted - magic;
  const double r = (bounded - whole * ln2_high) - whole * ln2_low;
  double sum = 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  return sum * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

struct Sums {
  double log_cosh = 0.0;
  double bump = 0.0;
};

// Sums of log cosh u and of u·exp(-u²/2) over u = (a - r·b)·scale; rows padded with zeros change
// only the first, by log 2 - log 2 = 0.
DAGATHLON_WIDE_CLONES Sums entropy_sums(const double* a, const double* b, double r, double scale, std::size_t padded) {
  double sizes[width] = {}, bumps[width] = {}, logs = 0.0;
  for (std::size_t begin = 0; begin < padded; begin += chunk) {
    double products[width];
    for (double& product : products) product = 1.0;
    for (std::size_t row = begin; row < std::min(padded, begin + chunk); row += width)
      for (std::size_t k = 0; k < width; ++k) {
        const double u = (a[row + k] - r * b[row + k]) * scale;
        const double size = std::abs(u);
        sizes[k] += size;
        products[k] *= 0.5 + 0.5 * exponential(-2.0 * size);
        bumps[k] += u * exponential(-0.5 * u * u);
      }
    for (const double product : products) logs += std::log(product);
  }
  Sums result{logs, 0.0};
  for (std::size_t k = 0; k < width; ++k) {
    result.log_cosh += sizes[k];
    result.bump += bumps[k];
  }
  return result;
}

DAGATHLON_WIDE_CLONES double product_sum(const double* a, const double* b, std::size_t padded) {
  double sums[width] = {}, total = 0.0;
  for (std::size_t row = 0; row < padded; row += width)
    for (std::size_t k = 0; k < width; ++k) sums[k] += a[row + k] * b[row + k];
  for (const double sum : sums) total += sum;
  return total;
}

DAGATHLON_WIDE_CLONES void subtract_multiple(double* from, const double* column, double factor, std::size_t padded) {
  for (std::size_t row = 0; row < padded; ++row) from[row] -= factor * column[row];
}

class PairwiseSearch {
 public:
  PairwiseSearch(std::span<const double> columns, std::size_t rows)
      : rows_(rows), padded_((rows + width - 1) / width * width), left_(columns.size() / rows),
        values_(left_.size() * padded_) {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      left_[i] = i;
      std::copy_n(columns.data() + i * rows, rows, column(i));
      double sum = 0.0;
      for (std::size_t row = 0; row < rows; ++row) sum += column(i)[row];
      for (std::size_t row = 0; row < rows; ++row) column(i)[row] -= sum / static_cast<double>(rows);
    }
  }

  std::vector<std::size_t> order() {
    std::vector<std::size_t> result;
    const std::size_t all = left_.size();
    while (!left_.empty()) {
      pulse::progress(all - left_.size(), all);
      standardise();
      const std::size_t first = most_exogenous();
      result.push_back(first);
      std::erase(left_, first);
      for (const std::size_t i : left_) subtract_multiple(column(i), column(first), correlation(i, first), padded_);
    }
    return result;
  }

 private:
  double* column(std::size_t i) { return values_.data() + i * padded_; }
  double correlation(std::size_t i, std::size_t j) {
    return product_sum(column(i), column(j), padded_) / static_cast<double>(rows_);
  }
  void standardise() {
    for (const std::size_t i : left_) {
      const double deviation = std::sqrt(correlation(i, i));
      // What a duplicate leaves is rounding, and says nothing.
      const double factor = deviation > 1e-7 ? 1.0 / deviation : 0.0;
      for (std::size_t row = 0; row < rows_; ++row) column(i)[row] *= factor;
    }
  }
  double entropy(std::size_t i, std::size_t j, double r) {
    constexpr double k1 = 79.047, k2 = 7.4129, gamma = 0.37457;
    const Sums sums = entropy_sums(column(i), column(j), r, 1.0 / std::sqrt(1.0 - r * r), padded_);
    const double size = sums.log_cosh / static_cast<double>(rows_) - gamma;
    const double bump = sums.bump / static_cast<double>(rows_);
    return -k1 * size * size - k2 * bump * bump;
  }
  std::size_t most_exogenous() {
    std::vector<double> alone(left_.size()), against(left_.size(), 0.0);
    for (std::size_t a = 0; a < left_.size(); ++a) alone[a] = entropy(left_[a], left_[a], 0.0);
    for (std::size_t a = 0; a < left_.size(); ++a)
      for (std::size_t b = a + 1; b < left_.size(); ++b) {
        pulse::beat(4 * padded_);
        const double r = correlation(left_[a], left_[b]);
        if (1.0 - r * r < 1e-10) continue;
        const double difference = alone[b] + entropy(left_[a], left_[b], r) - alone[a] - entropy(left_[b], left_[a], r);
        against[difference < 0.0 ? a : b] += difference * difference;
      }
    return left_[static_cast<std::size_t>(std::min_element(against.begin(), against.end()) - against.begin())];
  }

  std::size_t rows_, padded_;
  std::vector<std::size_t> left_;
  std::vector<double> values_;
};

}  // namespace

std::vector<std::size_t> pairwise_order(std::span<const double> columns, std::size_t rows) {
  return rows == 0 ? std::vector<std::size_t>{} : PairwiseSearch(columns, rows).order();
}

}  // namespace dagathlon
