// Logarithms of the normalising constants of G-Wishart distributions: the integral of
// |K|^((b-2)/2) exp(-tr(K D)/2) over the precision matrices with the zeros of a graph.
//
// Nodes that hang on cliques are taken off in closed form, which leaves nothing of a decomposable graph. The
// constant of the rest is estimated.
#pragma once

#include <cstddef>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/undirected/constant_ratio.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

struct LogConstant {
  double value;
  // Standard error; 0 where the value is exact.
  double error;
};

// By so many draws (Atay-Kayis and Massam 2005), the connected parts of the rest one by one. The scale is
// positive definite, or std::domain_error is thrown.
LogConstant log_constant(const BitMatrix& adjacent, double b, const SquareMatrix& scale, std::size_t draws,
                         Stream& random);

// By Laplace's approximation at the mode (Lenkoski and Dobra 2011), which is good where b is large; b > 2. Parts of
// more than 400 free entries are approximated more coarsely, by a decomposable graph that contains them.
double laplace_constant(const BitMatrix& adjacent, double b, const SquareMatrix& scale);

// For the identity times a number, by the constant of a decomposable graph that contains this one and the
// ratios of constants of graphs that differ by an edge.
double bridged_constant(const BitMatrix& adjacent, double b, double scale, const ConstantRatio& ratio);

}  // namespace dagathlon
