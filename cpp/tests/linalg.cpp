// Factors, inverses and products against their definitions.
#include <cmath>
#include <cstddef>
#include <vector>

#include "check.hpp"
#include "dagathlon/data/covariance.hpp"
#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/linalg/positive_inverse.hpp"
#include "dagathlon/linalg/square_matrix.hpp"
#include "dagathlon/stats/random.hpp"

namespace {

using namespace dagathlon;

// B·Bᵀ for a random n × r matrix B: positive definite for r ≥ n, of rank r otherwise.
std::vector<double> gram(std::size_t n, std::size_t r, std::uint64_t seed) {
  Stream random(seed, 0);
  std::vector<double> b(n * r), product(n * n);
  for (double& value : b) value = random.normal();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < r; ++k) product[i * n + j] += b[i * r + k] * b[j * r + k];
  return product;
}

double entry_of_product(const std::vector<double>& factor, std::size_t n, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k <= std::min(i, j); ++k) sum += factor[i * n + k] * factor[j * n + k];
  return sum;
}

TEST(a_factor_times_its_transpose_is_the_matrix) {
  for (std::size_t n = 1; n <= 9; ++n) {
    const std::vector<double> matrix = gram(n, n + 3, n);
    std::vector<double> factor = matrix;
    CHECK(cholesky::factorise(factor, n, cholesky::RefuseBelow{1e-12}));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) CHECK(check::close(entry_of_product(factor, n, i, j), matrix[i * n + j]));
  }
}

TEST(solving_by_the_factor_gives_back_the_right_side) {
  for (std::size_t n = 1; n <= 9; ++n) {
    const std::vector<double> matrix = gram(n, n + 3, 100 + n);
    std::vector<double> factor = matrix, x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i) - 1.5;
    const std::vector<double> right = x;
    CHECK(cholesky::factorise(factor, n, cholesky::RaiseTo{1e-300}));
    cholesky::solve_lower(factor, x);
    cholesky::solve_upper(factor, x);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += matrix[i * n + j] * x[j];
      CHECK(check::close(sum, right[i], 1e-9));
    }
  }
}

TEST(policies_differ_at_a_row_that_is_a_function_of_others) {
  // The third variable is the sum of the first two.
  const std::vector<double> singular{2, 1, 3, 1, 2, 3, 3, 3, 6};
  std::vector<double> factor = singular;
  CHECK(!cholesky::factorise(factor, 3, cholesky::RefuseBelow{1e-10}));
  factor = singular;
  CHECK(cholesky::factorise(factor, 3, cholesky::SkipBelow{1e-10}));
  CHECK(factor[8] == 0.0);
  std::vector<double> x{1, 1, 2};
  cholesky::solve_lower(factor, x);
  cholesky::solve_upper(factor, x);
  CHECK(x[2] == 0.0);
  CHECK(check::close(2 * x[0] + x[1], 1) && check::close(x[0] + 2 * x[1], 1));
  factor = singular;
  CHECK(cholesky::factorise(factor, 3, cholesky::RaiseTo{1e-4}));
  CHECK(check::close(factor[8], 1e-2));
  factor = {-1};
  CHECK(cholesky::factorise(factor, 1, cholesky::AnyPivot{}) && std::isnan(factor[0]));
}

TEST(both_ways_to_store_the_diagonal_give_the_same_pivots) {
  const std::size_t n = 7;
  const std::vector<double> matrix = gram(n, n, 5);
  std::vector<double> roots(n * n), inverses(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto entry = [&](std::size_t j) { return matrix[i * n + j]; };
    const double own = matrix[i * n + i];
    const double a = cholesky::solve_row<cholesky::Diagonal::root>(&roots[i * n], roots.data(), n, i, own, entry);
    const double b =
        cholesky::solve_row<cholesky::Diagonal::inverse_root>(&inverses[i * n], inverses.data(), n, i, own, entry);
    CHECK(check::close(a, b, 1e-10));
    roots[i * n + i] = std::sqrt(a);
    inverses[i * n + i] = 1 / std::sqrt(b);
  }
}

TEST(swept_rows_are_rows_of_the_factor) {
  const std::size_t n = 6;
  const std::vector<double> matrix = gram(n, n + 2, 8);
  std::vector<double> factor = matrix, swept(n * n);
  CHECK(cholesky::factorise(factor, n, cholesky::AnyPivot{}));
  for (std::size_t k = 0; k < n; ++k) {
    cholesky::sweep_row(swept.data(), k, n, &matrix[k * n], k);
    const double root = std::sqrt(swept[k * n + k]);
    for (std::size_t x = 0; x < n; ++x) swept[k * n + x] /= root;
    for (std::size_t x = k; x < n; ++x) CHECK(check::close(swept[k * n + x], factor[x * n + k], 1e-10));
  }
}

TEST(inverses_times_their_matrices_are_the_identity) {
  for (const std::size_t n : {1UL, 3UL, 8UL, 9UL, 40UL}) {
    const SquareMatrix matrix(gram(n, n + 5, 200 + n), n);
    const auto general = inverse(matrix);
    SquareMatrix special(n);
    const auto log_determinant = PositiveInverse()(matrix, special);
    CHECK(general && log_determinant);
    CHECK(check::close(general->log_determinant, *log_determinant, 1e-9));
    SquareMatrix product(n);
    multiply(matrix, special, product);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        CHECK(check::close(product(i, j), i == j ? 1.0 : 0.0, 1e-7));
        CHECK(check::close(general->matrix(i, j), special(i, j), 1e-7));
      }
  }
  CHECK(!inverse(SquareMatrix(3)));
  SquareMatrix untouched(2);
  CHECK(!PositiveInverse()(SquareMatrix(2), untouched));
}

TEST(an_exponential_of_a_nilpotent_matrix_is_a_finite_sum) {
  SquareMatrix a(3);
  a(0, 1) = 2;
  a(1, 2) = 3;
  const SquareMatrix e = exponential(a);
  CHECK(check::close(e(0, 1), 2) && check::close(e(1, 2), 3) && check::close(e(0, 2), 3) && check::close(trace(e), 3));
}

TEST(partial_correlations_are_those_of_the_inverse) {
  const std::size_t n = 6;
  const std::vector<double> scatter = gram(n, 20, 11);
  SymmetricMatrix r(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      r.set(i, j, i == j ? 1.0 : scatter[i * n + j] / std::sqrt(scatter[i * n + i] * scatter[j * n + j]));
  PartialCorrelations partial(r);
  // Given all others, the correlation of x and y is −K_xy / √(K_xx K_yy) for the inverse K.
  for (std::size_t size = 2; size <= n; ++size) {
    SquareMatrix part(size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) part(i, j) = r(i, j);
    const auto k = inverse(part);
    std::vector<std::size_t> given;
    for (std::size_t i = 2; i < size; ++i) given.push_back(i);
    const PartialCorrelation answer = partial(0, 1, given);
    CHECK(answer.defined);
    CHECK(check::close(answer.value, -k->matrix(0, 1) / std::sqrt(k->matrix(0, 0) * k->matrix(1, 1)), 1e-9));
  }
}

}  // namespace
