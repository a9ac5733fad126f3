#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/continuous/lingam.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t sums_at_once = 8;
// Products of so many factors below 2 cannot overflow.
constexpr std::size_t chunk = 512 * sums_at_once;

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
  double sizes[sums_at_once] = {}, bumps[sums_at_once] = {}, logs = 0.0;
  for (std::size_t begin = 0; begin < padded; begin += chunk) {
    double products[sums_at_once];
    for (double& product : products) product = 1.0;
    for (std::size_t row = begin; row < std::min(padded, begin + chunk); row += sums_at_once)
      for (std::size_t k = 0; k < sums_at_once; ++k) {
        const double u = (a[row + k] - r * b[row + k]) * scale;
        const double size = std::abs(u);
        sizes[k] += size;
        products[k] *= 0.5 + 0.5 * exponential(-2.0 * size);
        bumps[k] += u * exponential(-0.5 * u * u);
      }
    for (const double product : products) logs += std::log(product);
  }
  Sums result{logs, 0.0};
  for (std::size_t k = 0; k < sums_at_once; ++k) {
    result.log_cosh += sizes[k];
    result.bump += bumps[k];
  }
  return result;
}

DAGATHLON_WIDE_CLONES double product_sum(const double* a, const double* b, std::size_t padded) {
  double sums[sums_at_once] = {}, total = 0.0;
  for (std::size_t row = 0; row < padded; row += sums_at_once)
    for (std::size_t k = 0; k < sums_at_once; ++k) sums[k] += a[row + k] * b[row + k];
  for (const double sum : sums) total += sum;
  return total;
}

DAGATHLON_WIDE_CLONES void subtract_multiple(double* from, const double* column, double factor, std::size_t padded) {
  for (std::size_t row = 0; row < padded; ++row) from[row] -= factor * column[row];
}

class PairwiseSearch {
 public:
  PairwiseSearch(std::span<const double> columns, std::size_t rows)
      : rows_(rows),
        padded_((rows + sums_at_once - 1) / sums_at_once * sums_at_once),
        left_(columns.size() / rows),
        values_(left_.size() * padded_),
        place_(left_.size()),
        against_(left_.size()),
        voices_(left_.size()),
        team_(left_.size()) {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      left_[i] = i;
      std::copy_n(columns.data() + i * rows, rows, column(i));
      double sum = 0.0;
      for (std::size_t row = 0; row < rows; ++row) sum += column(i)[row];
      for (std::size_t row = 0; row < rows; ++row) column(i)[row] -= sum / static_cast<double>(rows);
      for (std::size_t j = 0; j < left_.size(); ++j)
        if (j != i) voices_[i].push_back({j, 0.0});
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
      for_each_left([&](std::size_t a) {
        const std::size_t i = left_[a];
        subtract_multiple(column(i), column(first), correlation(i, first), padded_);
      });
    }
    return result;
  }

 private:
  double* column(std::size_t i) { return values_.data() + i * padded_; }
  double correlation(std::size_t i, std::size_t j) {
    return product_sum(column(i), column(j), padded_) / static_cast<double>(rows_);
  }
  // Calls work(a) for each place among the variables that are left; several threads share them.
  template <class Work>
  void for_each_left(Work&& work) {
    team_.each(left_.size(), [&](std::size_t a, std::size_t) { work(a); });
  }
  void standardise() {
    for_each_left([&](std::size_t a) {
      const std::size_t i = left_[a];
      const double deviation = std::sqrt(correlation(i, i));
      // What a duplicate leaves is rounding, and says nothing.
      const double factor = deviation > 1e-7 ? 1.0 / deviation : 0.0;
      for (std::size_t row = 0; row < rows_; ++row) column(i)[row] *= factor;
    });
  }
  double entropy(std::size_t i, std::size_t j, double r) {
    constexpr double k1 = 79.047, k2 = 7.4129, gamma = 0.37457;
    const Sums sums = entropy_sums(column(i), column(j), r, 1.0 / std::sqrt(1.0 - r * r), padded_);
    const double size = sums.log_cosh / static_cast<double>(rows_) - gamma;
    const double bump = sums.bump / static_cast<double>(rows_);
    return -k1 * size * size - k2 * bump * bump;
  }
  // The variable with the least against it. What speaks against one is never taken back, so that a sum need not be
  // finished that is above the least so far.
  std::size_t most_exogenous() {
    alone_.resize(left_.size());
    std::ranges::fill(place_, no_node);
    for_each_left([&](std::size_t a) {
      alone_[a] = entropy(left_[a], left_[a], 0.0);
      place_[left_[a]] = a;
    });
    ratios_.assign(left_.size() * left_.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<std::size_t> candidates(left_.size());
    std::iota(candidates.begin(), candidates.end(), std::size_t{0});
    std::ranges::stable_sort(candidates, {}, [&](std::size_t a) { return against_[left_[a]]; });
    // All others speak about the likeliest, each by a thread of its own; one thread asks them when it needs them.
    const std::size_t first = candidates.front();
    if (team_.size() > 1)
      for_each_left([&](std::size_t b) {
        if (b != first) one_against(first, b);
      });
    std::atomic<double> least = against_[left_[first]] = sum_against(first, std::numeric_limits<double>::infinity());
    team_.each(candidates.size() - 1, [&](std::size_t k, std::size_t) {
      const std::size_t a = candidates[k + 1];
      const double sum = sum_against(a, least);
      against_[left_[a]] = sum;
      for (double now = least; sum < now && !least.compare_exchange_weak(now, sum);) {
      }
    });
    const auto sum_and_place = [&](std::size_t a) { return std::pair(against_[left_[a]], a); };
    return left_[std::ranges::min(candidates, {}, sum_and_place)];
  }

  // The sum over all others in their order; a part of it where that is above `enough`. Those that said most in the
  // last round are asked first. A part is summed in another order, hence the margin for rounding.
  double sum_against(std::size_t a, double enough) {
    constexpr std::size_t many = 32;
    std::vector<Voice>& voices = voices_[left_[a]];
    std::erase_if(voices, [&](const Voice& voice) { return place_[voice.from] == no_node; });
    double part = 0.0;
    std::size_t asked = 0;
    while (asked < voices.size() && !(part * (1.0 - 1e-9) > enough)) {
      Voice& voice = voices[asked++];
      voice.said = one_against(a, place_[voice.from]);
      part += voice.said;
    }
    const bool above = part * (1.0 - 1e-9) > enough;
    if (asked >= many) std::ranges::stable_sort(voices, std::greater<>(), &Voice::said);
    if (above) return part;
    double sum = 0.0;
    for (std::size_t b = 0; b < left_.size(); ++b)
      if (b != a) sum += one_against(a, b);
    return sum;
  }

  // What b says against a: the square of their likelihood ratio if that is for b.
  double one_against(std::size_t a, std::size_t b) {
    const double of_pair = ratio(std::min(a, b), std::max(a, b));
    const bool speaks = a < b ? of_pair < 0.0 : !(of_pair < 0.0);
    return speaks ? of_pair * of_pair : 0.0;
  }

  double ratio(std::size_t a, std::size_t b) {
    // Where two threads need it at the same moment both find the same.
    const std::atomic_ref<double> place(ratios_[a * left_.size() + b]);
    if (const double known = place.load(std::memory_order_relaxed); !std::isnan(known)) return known;
    pulse::beat(4 * padded_);
    const double r = correlation(left_[a], left_[b]);
    const double found = 1.0 - r * r < 1e-10 ? 0.0 : log_ratio(a, b, r);
    place.store(found, std::memory_order_relaxed);
    return found;
  }

  double log_ratio(std::size_t a, std::size_t b, double r) {
    return alone_[b] + entropy(left_[a], left_[b], r) - alone_[a] - entropy(left_[b], left_[a], r);
  }

  std::size_t rows_, padded_;
  std::vector<std::size_t> left_;
  std::vector<double> values_;
  // Of the variables that are left, by their place among them: their entropies, and the ratios that are known.
  std::vector<double> alone_;
  std::vector<double> ratios_;
  // Of all variables: their places among those left, what the last round found against them, and who said it.
  struct Voice {
    std::size_t from;
    double said;
  };
  std::vector<std::size_t> place_;
  std::vector<double> against_;
  std::vector<std::vector<Voice>> voices_;
  Team team_;
};

}  // namespace

std::vector<std::size_t> pairwise_order(std::span<const double> columns, std::size_t rows) {
  return rows == 0 ? std::vector<std::size_t>{} : PairwiseSearch(columns, rows).order();
}

}  // namespace dagathlon
