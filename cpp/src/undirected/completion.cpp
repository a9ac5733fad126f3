#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/undirected/completion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/graph/nodes.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Solves matrix·x = b in place of b, for a symmetric positive definite k×k matrix, which is overwritten
// by its Cholesky factor; false when it is not positive definite.
bool solve_positive_definite(std::vector<double>& matrix, std::vector<double>& b) {
  if (!cholesky::factorise(matrix, b.size(), cholesky::RefuseBelow{0.0})) return false;
  cholesky::solve_lower(matrix, b);
  cholesky::solve_upper(matrix, b);
  return true;
}

// The state of one completion.
class Completion {
 public:
  Completion(std::span<const double> covariance, const BitMatrix& adjacent, std::span<double> result)
      : n_(adjacent.size()), given_(covariance), result_(result), neighbours_(n_), row_(n_) {
    std::ranges::copy(covariance, result_.begin());
    for (std::size_t i = 0; i < n_; ++i) for_each(adjacent[i], [&](std::size_t j) { neighbours_[i].push_back(j); });
  }

  // Renews the row and column of node j; false when its neighbours' covariance is not positive definite.
  bool renew(std::size_t j) {
    const NodeVector& near = neighbours_[j];
    gather(j, near);
    if (!solve_positive_definite(block_, coefficients_)) return false;
    std::ranges::fill(row_, 0.0);
    for (std::size_t k = 0; k < near.size(); ++k) {
      const double coefficient = coefficients_[k];
      const double* source = &result_[near[k] * n_];
      for (std::size_t i = 0; i < n_; ++i) row_[i] += coefficient * source[i];
    }
    for (const std::size_t i : near) row_[i] = given_[j * n_ + i];
    row_[j] = given_[j * n_ + j];
    store(j);
    return true;
  }

  double take_change() { return std::exchange(change_, 0.0); }

 private:
  void gather(std::size_t j, const NodeVector& near) {
    const std::size_t k = near.size();
    block_.resize(k * k);
    coefficients_.resize(k);
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < k; ++b) block_[a * k + b] = result_[near[a] * n_ + near[b]];
      coefficients_[a] = given_[j * n_ + near[a]];
    }
  }

  void store(std::size_t j) {
    for (std::size_t i = 0; i < n_; ++i) {
      change_ = std::max(change_, std::abs(row_[i] - result_[j * n_ + i]));
      result_[j * n_ + i] = result_[i * n_ + j] = row_[i];
    }
  }

  std::size_t n_;
  std::span<const double> given_;
  std::span<double> result_;
  std::vector<NodeVector> neighbours_;
  std::vector<double> row_;
  std::vector<double> block_;
  std::vector<double> coefficients_;
  double change_ = 0;
};

}  // namespace

std::optional<CompletionFailure> complete_covariance(std::span<const double> covariance, const BitMatrix& adjacent,
                                                     double tolerance, std::size_t max_sweeps,
                                                     std::span<double> result) {
  Completion completion(covariance, adjacent, result);
  for (std::size_t sweep = 0; sweep < max_sweeps; ++sweep) {
    for (std::size_t j = 0; j < adjacent.size(); ++j) {
      pulse::beat(adjacent.size() * adjacent.size());
      if (!completion.renew(j)) return CompletionFailure::not_positive_definite;
    }
    if (completion.take_change() <= tolerance) return std::nullopt;
  }
  return CompletionFailure::no_convergence;
}

std::vector<double> inverse_of_product(std::span<const double> factor, std::size_t n) {
  // Row-major inverse of L, row by row from the ones above it.
  std::vector<double> inverse(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &inverse[i * n];
    for (std::size_t m = 0; m < i; ++m)
      for (std::size_t j = 0; j <= m; ++j) row[j] -= factor[i * n + m] * inverse[m * n + j];
    for (std::size_t j = 0; j < i; ++j) row[j] /= factor[i * n + i];
    row[i] = 1 / factor[i * n + i];
  }
  std::vector<double> product(n * n);
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t i = 0; i <= m; ++i)
      for (std::size_t j = 0; j <= m; ++j) product[i * n + j] += inverse[m * n + i] * inverse[m * n + j];
  return product;
}

}  // namespace dagathlon
