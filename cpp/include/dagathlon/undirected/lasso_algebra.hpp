// The few operations on vectors and small systems that the penalised regressions spend their time in.
//
// Sums run in one fixed order, however wide the registers are.
#pragma once

#include <cstddef>
#include <vector>

namespace dagathlon {

// to += factor·from
void add_multiple(double* to, const double* from, double factor, std::size_t size);

double dot(const double* a, const double* b, std::size_t size);

// What is left of a value that a penalty pulls towards zero.
inline double shrunk(double value, double penalty) {
  return value > penalty ? value - penalty : value < -penalty ? value + penalty : 0.0;
}

// Factor U of a positive definite matrix U'U, from its upper triangle.
class UpperFactor {
 public:
  // Rows follow each other. How many of them there are before the first that is, nearly, a combination
  // of those before it; only they are factored.
  std::size_t factor(std::vector<double> matrix, std::size_t size);
  // Replaces the right side, of as many values as rows were factored, by the solution.
  void solve(std::vector<double>& right) const;

 private:
  std::size_t stride_ = 0;
  std::vector<double> rows_;
};

}  // namespace dagathlon
