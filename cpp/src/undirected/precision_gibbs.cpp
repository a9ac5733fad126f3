#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/undirected/precision_gibbs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/stats/gamma_draw.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Tries, where few entries are filled and where many leave hardly a chance.
constexpr std::size_t most_tries = 30, few_tries = 3;
constexpr std::size_t few_filled = 25;
constexpr std::size_t sweeps_after = 10;
// Rounding adds up in an inverse that is changed again and again.
constexpr std::size_t sweeps_per_inverse = 4;

DAGATHLON_WIDE_CLONES void exchange_padded(double* cells, const double* old, const double* fresh, std::size_t n,
                                           std::size_t stride) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = cells + i * stride;
    const double gone = old[i], come = fresh[i];
    for (std::size_t j = 0; j < stride; ++j) row[j] += come * fresh[j] - gone * old[j];
  }
}

// Rounding alone can bring a pivot to zero.
constexpr cholesky::RaiseTo positive_pivots{1e-300};

void renew_inverse(Precision& state) {
  if (auto exact = inverse(state.precision)) state.covariance = std::move(exact->matrix);
}

}  // namespace

void exchange_products(SquareMatrix& covariance, const std::vector<double>& old, const std::vector<double>& fresh) {
  exchange_padded(covariance.row(0), old.data(), fresh.data(), covariance.size(), covariance.stride());
}

// With A the precision matrix of the other nodes and u the entries of the node on its edges, u is normal with
// precision D_jj·A⁻¹ and what k_jj has beyond uᵀ·A⁻¹·u is gamma.
void PrecisionGibbs::draw_entries(std::size_t j, const SquareMatrix& scale, Stream& random, const Precision& state) {
  const std::size_t k = near_.size();
  factor_.resize(k * k);
  entries_.resize(k);
  for (std::size_t a = 0; a < k; ++a) {
    const double* row = state.covariance.row(near_[a]);
    for (std::size_t c = 0; c <= a; ++c)
      factor_[a * k + c] = scale(j, j) * (row[near_[c]] - old_[near_[a]] * old_[near_[c]]);
    entries_[a] = -scale(j, near_[a]);
  }
  const std::span entries = std::span(entries_).first(k);
  cholesky::factorise(factor_, k, positive_pivots);
  cholesky::solve_lower(factor_, entries);
  for (double& entry : entries) entry += random.normal();
  cholesky::solve_upper(factor_, entries);
}

void PrecisionGibbs::renew(std::size_t j, double b, const SquareMatrix& scale, Stream& random, Precision& state) {
  SquareMatrix &precision = state.precision, &covariance = state.covariance;
  const std::size_t n = covariance.size();
  const double root = std::sqrt(covariance(j, j));
  for (std::size_t k = 0; k < n; ++k) old_[k] = covariance(j, k) / root;
  draw_entries(j, scale, random, state);
  const double surplus = chi_square(b, random) / scale(j, j), unit = 1 / std::sqrt(surplus);
  // A⁻¹·u, up to the sign and the factor of the new column.
  std::ranges::fill(fresh_, 0.0);
  double along = 0, product = 0;
  for (std::size_t a = 0; a < near_.size(); ++a) {
    const double* row = covariance.row(near_[a]);
    const double entry = entries_[a];
    along += entry * old_[near_[a]];
    for (std::size_t k = 0; k < n; ++k) fresh_[k] += entry * row[k];
  }
  for (std::size_t k = 0; k < n; ++k) fresh_[k] -= along * old_[k];
  for (std::size_t a = 0; a < near_.size(); ++a) {
    product += entries_[a] * fresh_[near_[a]];
    precision(j, near_[a]) = precision(near_[a], j) = entries_[a];
  }
  for (std::size_t k = 0; k < n; ++k) fresh_[k] *= -unit;
  fresh_[j] = unit;
  precision(j, j) = surplus + product;
  exchange_products(covariance, old_, fresh_);
}

void PrecisionGibbs::sweep(const BitMatrix& adjacent, double b, const SquareMatrix& scale, Stream& random,
                           Precision& state) {
  const std::size_t n = adjacent.size();
  if (++sweeps_ % sweeps_per_inverse == 0) renew_inverse(state);
  old_.assign(state.covariance.stride(), 0.0);
  fresh_.assign(state.covariance.stride(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    pulse::beat(n * n);
    near_.clear();
    for_each(adjacent[j], [&](std::size_t other) { near_.push_back(other); });
    renew(j, b, scale, random, state);
    if (!(state.covariance(j, j) > 0)) renew_inverse(state);
  }
}

NodeSequence elimination_order(BitMatrix adjacent, std::vector<std::pair<std::size_t, std::size_t>>& fill) {
  const std::size_t n = adjacent.size();
  NodeSequence order;
  BitSet left(n), near(n), there(n);
  for (std::size_t i = 0; i < n; ++i) left.set(i);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t best = no_node, fewest = n + 1;
    for_each(left, [&](std::size_t node) {
      there = BitSet(n, adjacent[node]);
      intersect(there, left);
      if (const std::size_t size = count(there); size < fewest) {
        best = node;
        fewest = size;
        near = there;
      }
    });
    left.reset(best);
    order.push_back(best);
    for_each(near, [&](std::size_t i) {
      for_each(near, [&](std::size_t j) {
        if (i >= j || adjacent.test(i, j)) return;
        adjacent.set(i, j);
        adjacent.set(j, i);
        fill.emplace_back(i, j);
      });
    });
  }
  return order;
}

void ScaledGWishart::plan(const BitMatrix& adjacent) {
  n_ = adjacent.size();
  std::vector<std::pair<std::size_t, std::size_t>> fill;
  order_ = elimination_order(adjacent, fill);
  NodeSequence place(n_);
  for (std::size_t k = 0; k < n_; ++k) place[order_[k]] = k;
  later_.assign(n_, {});
  filled_.assign(n_, {});
  for (std::size_t k = 0; k < n_; ++k)
    for_each(adjacent[order_[k]], [&](std::size_t other) {
      if (place[other] > k) later_[k].push_back(place[other]);
    });
  n_filled_ = fill.size();
  for (const auto& [i, j] : fill) filled_[std::min(place[i], place[j])].push_back(std::max(place[i], place[j]));
  if (phi_.size() != n_) phi_ = SquareMatrix(n_);
  std::ranges::fill(phi_.cells(), 0.0);
}

// One draw of the factor, and the logarithm of the probability that it is taken. Entries that elimination fills
// follow from those above them.
double ScaledGWishart::attempt(double b, Stream& random) {
  double log_chance = 0;
  for (std::size_t r = 0; r < n_; ++r) {
    phi_(r, r) = std::sqrt(chi_square(b + static_cast<double>(later_[r].size()), random));
    for (const std::size_t s : later_[r]) phi_(r, s) = random.normal();
    for (const std::size_t s : filled_[r]) {
      double product = 0;
      for (std::size_t l = 0; l < r; ++l) product += phi_(l, r) * phi_(l, s);
      phi_(r, s) = -product / phi_(r, r);
      log_chance -= 0.5 * phi_(r, s) * phi_(r, s);
    }
  }
  return log_chance;
}

// K = φᵀ·φ and its inverse, in the order of the nodes.
void ScaledGWishart::finish(double scale, Precision& out) {
  if (inverse_.size() != n_) inverse_ = SquareMatrix(n_);
  std::ranges::fill(inverse_.cells(), 0.0);
  for (std::size_t i = n_; i-- > 0;) {
    inverse_(i, i) = 1 / phi_(i, i);
    for (std::size_t l = i + 1; l < n_; ++l) {
      const double factor = phi_(i, l) / phi_(i, i);
      if (factor == 0) continue;
      for (std::size_t j = l; j < n_; ++j) inverse_(i, j) -= factor * inverse_(l, j);
    }
  }
  for (SquareMatrix* matrix : {&out.precision, &out.covariance}) {
    if (matrix->size() != n_) *matrix = SquareMatrix(n_);
    std::ranges::fill(matrix->cells(), 0.0);
  }
  for (std::size_t r = 0; r < n_; ++r) {
    const std::size_t i = order_[r];
    for (std::size_t s = r; s < n_; ++s) {
      double sum = 0;
      for (std::size_t l = s; l < n_; ++l) sum += inverse_(r, l) * inverse_(s, l);
      out.covariance(i, order_[s]) = out.covariance(order_[s], i) = sum * scale;
    }
    const auto put = [&](std::size_t s) {
      double sum = 0;
      for (std::size_t l = 0; l <= r; ++l) sum += phi_(l, r) * phi_(l, s);
      out.precision(i, order_[s]) = out.precision(order_[s], i) = sum / scale;
    };
    put(r);
    for (const std::size_t s : later_[r]) put(s);
  }
}

void ScaledGWishart::draw(const BitMatrix& adjacent, double b, double scale, Stream& random, Precision& out) {
  plan(adjacent);
  SquareMatrix best;
  double highest = -std::numeric_limits<double>::infinity();
  const std::size_t limit = n_filled_ <= few_filled ? most_tries : few_tries;
  for (std::size_t tries = 0; tries < limit; ++tries) {
    const double log_chance = attempt(b, random);
    if (std::log(1 - random.uniform()) < log_chance) return finish(scale, out);
    if (log_chance > highest) {
      highest = log_chance;
      best = phi_;
    }
  }
  phi_ = best;
  finish(scale, out);
  SquareMatrix full(n_);
  for (std::size_t i = 0; i < n_; ++i) full(i, i) = scale;
  for (std::size_t k = 0; k < sweeps_after; ++k) gibbs_.sweep(adjacent, b, full, random, out);
}

}  // namespace dagathlon
