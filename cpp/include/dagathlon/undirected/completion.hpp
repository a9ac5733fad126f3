// Covariance matrices whose inverse has the zeros of an undirected graph.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

enum class CompletionFailure { not_positive_definite, no_convergence };

// Matrices are row-major n×n. The covariance that agrees with the given one on the diagonal and on the
// edges and whose inverse is zero elsewhere: each sweep makes every row, one after another, the
// regression on its neighbours alone (Lenkoski 2013), until no entry changes by more than `tolerance`.
// `result` gets the answer; a failure leaves it unusable.
std::optional<CompletionFailure> complete_covariance(std::span<const double> covariance, const BitMatrix& adjacent,
                                                     double tolerance, std::size_t max_sweeps,
                                                     std::span<double> result);

// The inverse of L·Lᵀ for a lower triangular L with a positive diagonal.
std::vector<double> inverse_of_product(std::span<const double> factor, std::size_t n);

}  // namespace dagathlon
