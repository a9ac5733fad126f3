// Sums of and draws by weights that are known by their logarithms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dagathlon/stats/constants.hpp"

namespace dagathlon {

// log(e^a + e^b).
inline double log_add(double a, double b) {
  const double top = std::max(a, b), low = std::min(a, b);
  // Below this the smaller one does not change a digit; minus infinity twice ends here too.
  constexpr double digits = -37.0;
  if (!(low - top > digits)) return top;
  return top + std::log1p(std::exp(low - top));
}

// A running sum; the scale follows the largest term.
class LogSum {
 public:
  void add(double weight) {
    if (weight == minus_infinity) return;
    if (weight > top_) {
      sum_ = sum_ * std::exp(top_ - weight) + 1.0;
      top_ = weight;
    } else {
      sum_ += std::exp(weight - top_);
    }
  }
  double value() const { return sum_ > 0 ? top_ + std::log(sum_) : minus_infinity; }

 private:
  double top_ = minus_infinity;
  double sum_ = 0;
};

// Draws one of the weights it is offered, whose sum is known, by a uniform number.
class LogDraw {
 public:
  LogDraw(double log_total, double uniform, double negligible)
      : log_total_(log_total), left_(uniform), floor_(log_total - negligible) {}

  void offer(std::size_t item, double weight) {
    if (done_ || !(weight > floor_)) return;
    chosen_ = item;
    left_ -= std::exp(weight - log_total_);
    done_ = left_ < 0;
  }
  // The last item that had a chance, where rounding leaves something over.
  std::size_t chosen() const { return chosen_; }

 private:
  double log_total_;
  double left_;
  double floor_;
  std::size_t chosen_ = 0;
  bool done_ = false;
};

}  // namespace dagathlon
