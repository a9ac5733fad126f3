// What one slice of a contingency table adds to the statistics of discrete tests.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/data/counting.hpp"

namespace dagathlon {

// Logarithms of whole numbers, with the same digits on every machine.
class LogTable {
 public:
  explicit LogTable(std::size_t largest);
  double operator[](Tally k) const { return k < logs_.size() ? logs_[k] : computed(k); }

 private:
  static double computed(Tally k);
  std::vector<double> logs_;
};

// Σ n_xy log(n_xy n / (n_x n_y)): n times the mutual information, half of G².
double slice_information(const Slice& slice, const LogTable& logs);

// Pearson's Σ (n_xy - e)² / e over the cells with an expected count.
double slice_chi_square(const Slice& slice);

// The count of pairs in the same order, less its mean, and its variance under independence, both
// with ties (Jonckheere and Terpstra): how far higher levels of x go with higher levels of y.
struct OrderedPairs {
  double excess = 0;
  double variance = 0;
};
OrderedPairs slice_ordered_pairs(const Slice& slice);

// (observed levels of x - 1) (observed levels of y - 1).
std::size_t slice_adjusted_df(const Slice& slice);
std::size_t slice_empty_cells(const Slice& slice);

}  // namespace dagathlon
