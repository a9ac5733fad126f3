#include "dagathlon/undirected/g_wishart.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/stats/gamma_draw.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Change of a correlation in one sweep below which a completion ends; and sweeps after which it ends anyway.
constexpr double completion_tolerance = 1e-8;
constexpr std::size_t completion_sweeps = 10'000;

// Four sums side by side, so that they need not wait for each other.
double dot(const double* a, const double* b, std::size_t size) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[k + lane] * b[k + lane];
  for (; k < size; ++k) sums[0] += a[k] * b[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Rows of M with M·Aᵀ = R, for upper triangular R and Aᵀ; M takes the place of R.
DAGATHLON_WIDE_CLONES void solve_rows(double* r, const double* a, std::size_t n, std::size_t stride) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = r + i * stride;
    for (std::size_t l = i; l < n; ++l) {
      const double* upper = a + l * stride;
      const double value = row[l] /= upper[l];
      for (std::size_t j = l + 1; j < n; ++j) row[j] -= value * upper[j];
    }
  }
}

DAGATHLON_WIDE_CLONES void add_rows(double* to, const SquareMatrix& from, const NodeSequence& rows,
                                    const std::vector<double>& factors) {
  const std::size_t size = from.stride();
  std::fill_n(to, size, 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double* source = from.row(rows[k]);
    const double factor = factors[k];
    for (std::size_t i = 0; i < size; ++i) to[i] += factor * source[i];
  }
}

}  // namespace

bool solve_symmetric(std::span<double> matrix, std::span<double> b) {
  const std::size_t k = b.size();
  for (std::size_t p = 0; p < k; ++p) {
    const double* pivots = &matrix[p * k];
    if (!(pivots[p] > 0)) return false;
    for (std::size_t i = p + 1; i < k; ++i) {
      const double factor = pivots[i] / pivots[p];
      double* row = &matrix[i * k];
      for (std::size_t j = i; j < k; ++j) row[j] -= factor * pivots[j];
      b[i] -= factor * b[p];
    }
  }
  for (std::size_t p = k; p-- > 0;) {
    const double* pivots = &matrix[p * k];
    for (std::size_t i = p + 1; i < k; ++i) b[p] -= pivots[i] * b[i];
    b[p] /= pivots[p];
  }
  return true;
}

SquareMatrix upper_factor(const SquareMatrix& scale) {
  const std::size_t n = scale.size();
  SquareMatrix result = scale;
  for (std::size_t j = n; j-- > 0;) {
    if (!(result(j, j) > 0)) throw std::domain_error("the scale is not positive definite");
    const double root = result(j, j) = std::sqrt(result(j, j));
    for (std::size_t i = 0; i < j; ++i) result(i, j) /= root;
    for (std::size_t i = 0; i < j; ++i)
      for (std::size_t k = i; k < j; ++k) result(i, k) -= result(i, j) * result(k, j);
    for (std::size_t i = 0; i < j; ++i) result(j, i) = 0;
  }
  return result;
}

SquareMatrix upper_factor(std::size_t n, double scale) {
  SquareMatrix result(n);
  for (std::size_t i = 0; i < n; ++i) result(i, i) = std::sqrt(scale);
  return result;
}

// Bartlett's decomposition: with K = C·A·Aᵀ·Cᵀ for C = R⁻ᵀ and lower triangular A, the inverse of K is M·Mᵀ
// for M = R·A⁻ᵀ.
void GWishartSampler::draw_wishart(double b, const SquareMatrix& factor, Stream& random) {
  n_ = factor.size();
  factor_ = factor;
  if (bartlett_.size() != n_) bartlett_ = SquareMatrix(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    bartlett_(i, i) = std::sqrt(chi_square(b + static_cast<double>(n_ - 1 - i), random));
    for (std::size_t j = i + 1; j < n_; ++j) bartlett_(i, j) = random.normal();
  }
  solve_rows(factor_.row(0), bartlett_.row(0), n_, factor_.stride());
  deviations_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    const double* row = factor_.row(i) + i;
    deviations_[i] = std::sqrt(dot(row, row, n_ - i));
    for (std::size_t j = i; j < n_; ++j) factor_(i, j) /= deviations_[i];
  }
}

double GWishartSampler::covariance(std::size_t i, std::size_t j) const {
  const std::size_t from = std::max(i, j);
  return dot(factor_.row(i) + from, factor_.row(j) + from, n_ - from);
}

// Makes the row and column of a node of the core the regression on its neighbours; whether it was so before.
bool GWishartSampler::renew(std::size_t place) {
  const NodeSequence& near = near_[place];
  const std::size_t k = near.size();
  double* old = core_.row(place);
  block_.resize(k * k);
  coefficients_.resize(k);
  for (std::size_t a = 0; a < k; ++a) {
    const double* source = core_.row(near[a]);
    for (std::size_t c = a; c < k; ++c) block_[a * k + c] = source[near[c]];
    coefficients_[a] = old[near[a]];
  }
  given_ = coefficients_;
  if (!solve_symmetric(block_, coefficients_)) throw std::domain_error("a drawn covariance is singular");
  add_rows(row_.data(), core_, near, coefficients_);
  for (std::size_t a = 0; a < k; ++a) row_[near[a]] = given_[a];
  row_[place] = 1;
  double change = 0;
  for (std::size_t i = 0; i < core_.size(); ++i) change = std::max(change, std::abs(row_[i] - old[i]));
  for (std::size_t i = 0; i < core_.size(); ++i) core_(i, place) = old[i] = row_[i];
  return change <= completion_tolerance;
}

void GWishartSampler::complete_core(const BitMatrix& adjacent, const NodeSequence& core) {
  const std::size_t m = core.size();
  if (core_.size() != m) core_ = SquareMatrix(m);
  near_.resize(m);
  for (std::size_t a = 0; a < m; ++a) {
    near_[a].clear();
    for (std::size_t c = 0; c < m; ++c)
      if (adjacent.test(core[a], core[c])) near_[a].push_back(c);
    core_(a, a) = 1;
    for (std::size_t c = a + 1; c < m; ++c) core_(a, c) = core_(c, a) = covariance(core[a], core[c]);
  }
  row_.resize(core_.stride());
  // The last node that changed: a round without one is the end.
  std::size_t still = 0;
  for (std::size_t step = 0; still < m && step < completion_sweeps * m; ++step) {
    pulse::beat(m * m);
    still = renew(step % m) ? still + 1 : 0;
  }
}

// The core's correlations and their inverse, which the regressions on the neighbours give.
void GWishartSampler::place_core(const NodeSequence& core, Precision& out) {
  for (std::size_t a = 0; a < core.size(); ++a) {
    renew(a);
    double rest = 1;
    for (std::size_t k = 0; k < near_[a].size(); ++k) rest -= coefficients_[k] * given_[k];
    out.precision(core[a], core[a]) = 1 / rest;
    // Both ends of an edge know its entry, up to the tolerance: the mean keeps the matrix symmetric.
    for (std::size_t k = 0; k < near_[a].size(); ++k) {
      const double half = -0.5 * coefficients_[k] / rest;
      out.precision(core[a], core[near_[a][k]]) += half;
      out.precision(core[near_[a][k]], core[a]) += half;
    }
  }
  for (std::size_t a = 0; a < core.size(); ++a)
    for (std::size_t c = 0; c < core.size(); ++c) out.covariance(core[a], core[c]) = core_(a, c);
}

void GWishartSampler::add_leaf(const Leaf& leaf, Precision& out) {
  const NodeSequence& near = leaf.neighbours;
  const std::size_t k = near.size(), v = leaf.node;
  block_.resize(k * k);
  coefficients_.resize(k);
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t c = a; c < k; ++c) block_[a * k + c] = out.covariance(near[a], near[c]);
    coefficients_[a] = covariance(v, near[a]);
  }
  given_ = coefficients_;
  if (!solve_symmetric(block_, coefficients_)) throw std::domain_error("a drawn covariance is singular");
  row_.resize(out.covariance.stride());
  add_rows(row_.data(), out.covariance, near, coefficients_);
  row_[v] = 1;
  for (std::size_t i = 0; i < n_; ++i) out.covariance(i, v) = out.covariance(v, i) = row_[i];
  double rest = 1;
  for (std::size_t a = 0; a < k; ++a) rest -= coefficients_[a] * given_[a];
  out.precision(v, v) = 1 / rest;
  for (std::size_t a = 0; a < k; ++a) {
    out.precision(v, near[a]) = out.precision(near[a], v) = -coefficients_[a] / rest;
    for (std::size_t c = 0; c < k; ++c) out.precision(near[a], near[c]) += coefficients_[a] * coefficients_[c] / rest;
  }
}

void GWishartSampler::rescale(Precision& out) const {
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < n_; ++j) {
      const double unit = deviations_[i] * deviations_[j];
      out.covariance(i, j) *= unit;
      out.precision(i, j) /= unit;
    }
}

void GWishartSampler::draw(const BitMatrix& adjacent, double b, const SquareMatrix& factor, Stream& random,
                           Precision& out) {
  draw_wishart(b, factor, random);
  const Peeling peeling = peel(adjacent);
  for (SquareMatrix* matrix : {&out.precision, &out.covariance}) {
    if (matrix->size() != n_) *matrix = SquareMatrix(n_);
    std::ranges::fill(matrix->cells(), 0.0);
  }
  complete_core(adjacent, peeling.core);
  place_core(peeling.core, out);
  for (std::size_t k = peeling.leaves.size(); k-- > 0;) add_leaf(peeling.leaves[k], out);
  rescale(out);
}

void sample_g_wishart(const BitMatrix& adjacent, double b, const SquareMatrix& factor, Stream& random,
                      SquareMatrix& precision) {
  Precision out;
  GWishartSampler().draw(adjacent, b, factor, random, out);
  precision = std::move(out.precision);
}

}  // namespace dagathlon
