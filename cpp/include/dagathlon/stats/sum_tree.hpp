// Weights of which one changes at a time and one is drawn in proportion: a binary tree of sums.
//
// Every sum is made anew from its two parts, so that rounding does not pile up however many changes
// there are.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

namespace dagathlon {

class SumTree {
 public:
  // So many weights of 0.
  explicit SumTree(std::size_t size) : leaves_(std::bit_ceil(size < 1 ? std::size_t{1} : size)), sums_(2 * leaves_) {}

  double total() const { return sums_[1]; }
  double operator[](std::size_t place) const { return sums_[leaves_ + place]; }

  void set(std::size_t place, double weight) {
    std::size_t at = leaves_ + place;
    if (sums_[at] == weight) return;
    sums_[at] = weight;
    for (at /= 2; at > 0; at /= 2) sums_[at] = sums_[2 * at] + sums_[2 * at + 1];
  }

  // The place of the weight in which a part of the total lies; `mass` is from 0 to below the total.
  std::size_t find(double mass) const {
    std::size_t at = 1;
    while (at < leaves_) {
      at *= 2;
      // What rounding leaves over must not lead to a weight of 0.
      if (mass < sums_[at] || !(sums_[at + 1] > 0)) continue;
      mass -= sums_[at];
      ++at;
    }
    return at - leaves_;
  }

 private:
  std::size_t leaves_;
  std::vector<double> sums_;
};

}  // namespace dagathlon
