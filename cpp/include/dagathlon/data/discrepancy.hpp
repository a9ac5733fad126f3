// How far one discrete variable moves the distribution of another (Constantinou 2020).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/data/counting.hpp"
#include "dagathlon/data/discrete_data.hpp"

namespace dagathlon {

// Of |P(b | a) − P(b)| the mean and the maximum over b, each averaged over the observed levels of a; the mean of
// both, and of both directions. There must be no missing values.
class Discrepancies {
 public:
  explicit Discrepancies(const DiscreteData& data) : data_(data), counter_(data) {}

  // For all pairs: a symmetric matrix, row after row, with zeros in the diagonal.
  std::vector<double> pairs();

  // The mean over the observed levels of c, for a triple (a, b, c).
  double given(std::size_t a, std::size_t b, std::size_t c);

 private:
  const DiscreteData& data_;
  Counter counter_;
};

}  // namespace dagathlon
