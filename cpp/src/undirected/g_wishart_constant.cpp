#include "dagathlon/undirected/g_wishart_constant.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dagathlon/undirected/completion.hpp"
#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/stats/gamma_draw.hpp"
#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/undirected/peeling.hpp"
#include "dagathlon/undirected/precision_gibbs.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

const double log_2 = std::numbers::ln2;
const double log_pi = std::log(std::numbers::pi);

DAGATHLON_WIDE_CLONES void eliminate(double* cells, std::size_t n, std::size_t stride, std::size_t p) {
  const double* pivots = cells + p * stride;
  for (std::size_t i = p + 1; i < n; ++i) {
    const double factor = pivots[i] / pivots[p];
    double* row = cells + i * stride;
    for (std::size_t j = i; j < n; ++j) row[j] -= factor * pivots[j];
  }
}

double log_determinant(SquareMatrix matrix) {
  double sum = 0;
  for (std::size_t p = 0; p < matrix.size(); ++p) {
    pulse::beat(matrix.size() * matrix.size());
    if (!(matrix(p, p) > 0)) throw std::domain_error("the scale is not positive definite");
    sum += std::log(matrix(p, p));
    eliminate(matrix.row(0), matrix.size(), matrix.stride(), p);
  }
  return sum;
}

SquareMatrix submatrix(const SquareMatrix& matrix, const NodeSequence& nodes) {
  SquareMatrix result(nodes.size());
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t c = 0; c < nodes.size(); ++c) result(a, c) = matrix(nodes[a], nodes[c]);
  return result;
}

BitMatrix subgraph(const BitMatrix& adjacent, const NodeSequence& nodes) {
  BitMatrix result(nodes.size());
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t c = 0; c < nodes.size(); ++c)
      if (adjacent.test(nodes[a], nodes[c])) result.set(a, c);
  return result;
}

// The Wishart distribution of mutually adjacent nodes.
double clique_constant(double b, const SquareMatrix& scale) {
  const auto k = static_cast<double>(scale.size());
  const double freedom = b + k - 1;
  double sum = 0.5 * freedom * (k * log_2 - log_determinant(scale)) + 0.25 * k * (k - 1) * log_pi;
  for (std::size_t i = 0; i < scale.size(); ++i) sum += log_gamma((freedom - static_cast<double>(i)) / 2);
  return sum;
}

// What the leaves add to the constant of the core.
double leaves_constant(const Peeling& peeling, double b, const SquareMatrix& scale) {
  double sum = 0;
  for (const Leaf& leaf : peeling.leaves) {
    NodeSequence clique = leaf.neighbours;
    sum -= clique_constant(b, submatrix(scale, clique));
    clique.push_back(leaf.node);
    sum += clique_constant(b, submatrix(scale, clique));
  }
  return sum;
}

// Connected parts of the core.
std::vector<NodeSequence> parts_of(const BitMatrix& adjacent, const Peeling& peeling) {
  BitSet done(adjacent.size());
  for (const Leaf& leaf : peeling.leaves) done.set(leaf.node);
  std::vector<NodeSequence> parts;
  for (const std::size_t node : peeling.core) {
    if (done.test(node)) continue;
    const BitSet part = reached(adjacent, node, done);
    parts.emplace_back();
    for_each(part, [&](std::size_t member) { parts.back().push_back(member); });
    unite(done, part);
  }
  return parts;
}

// The constant of one graph by Monte Carlo. With D = R·Rᵀ and K = φᵀ·φ, all upper triangular, the entries of
// ψ = φ·R on the edges are free: normal, and on the diagonal the root of a chi-square number. Those off the edges
// follow from them, and the constant is the mean of exp(-ψ²/2) over these times a known factor.
class MonteCarloConstant {
 public:
  MonteCarloConstant(const BitMatrix& adjacent, double b, const SquareMatrix& scale)
      : adjacent_(&adjacent), n_(adjacent.size()), factor_(upper_factor(scale)), phi_(n_), freedom_(n_, b) {
    for (std::size_t i = 0; i < n_; ++i) {
      const auto neighbours = static_cast<double>(count(adjacent[i]));
      double later = 0;
      for (std::size_t j = i + 1; j < n_; ++j) later += adjacent.test(i, j);
      freedom_[i] += later;
      known_ += 0.5 * freedom_[i] * log_2 + 0.5 * later * (log_2 + log_pi) + log_gamma(freedom_[i] / 2) -
                (b + neighbours) * std::log(factor_(i, i));
    }
  }

  LogConstant estimate(std::size_t draws, Stream& random) {
    std::vector<double> logs(draws);
    for (double& value : logs) {
      pulse::beat(n_ * n_ * n_);
      value = draw(random);
    }
    const double top = *std::ranges::max_element(logs);
    double sum = 0, squares = 0;
    for (const double value : logs) {
      const double weight = std::exp(value - top);
      sum += weight;
      squares += weight * weight;
    }
    const auto m = static_cast<double>(draws);
    const double mean = sum / m, variance = std::max(squares / m - mean * mean, 0.0) * m / std::max(m - 1, 1.0);
    return {known_ + top + std::log(mean), std::sqrt(variance / m) / mean};
  }

 private:
  // The logarithm of one term.
  double draw(Stream& random) {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      phi_(i, i) = std::sqrt(chi_square(freedom_[i], random)) / factor_(i, i);
      for (std::size_t j = i + 1; j < n_; ++j) {
        double before = 0;
        for (std::size_t l = i; l < j; ++l) before += phi_(i, l) * factor_(l, j);
        if (adjacent_->test(i, j)) {
          phi_(i, j) = (random.normal() - before) / factor_(j, j);
          continue;
        }
        double product = 0;
        for (std::size_t l = 0; l < i; ++l) product += phi_(l, i) * phi_(l, j);
        phi_(i, j) = -product / phi_(i, i);
        const double psi = before + phi_(i, j) * factor_(j, j);
        sum -= 0.5 * psi * psi;
      }
    }
    return sum;
  }

  const BitMatrix* adjacent_;
  std::size_t n_;
  SquareMatrix factor_, phi_;
  std::vector<double> freedom_;
  double known_ = 0;
};

using Pair = std::pair<std::size_t, std::size_t>;

// Entries of a precision matrix that are free: the diagonal and the edges.
std::vector<Pair> free_entries(const BitMatrix& adjacent) {
  std::vector<Pair> result;
  for (std::size_t i = 0; i < adjacent.size(); ++i)
    for (std::size_t j = i; j < adjacent.size(); ++j)
      if (i == j || adjacent.test(i, j)) result.emplace_back(i, j);
  return result;
}

// The trace of S·E·S·E' for the indicators of two entries.
double curvature(const SquareMatrix& s, const Pair& a, const Pair& c) {
  const auto [i, j] = a;
  const auto [k, l] = c;
  if (i == j && k == l) return s(i, k) * s(i, k);
  if (i == j || k == l) return 2 * s(i, k) * s(j, l);
  return 2 * (s(i, k) * s(j, l) + s(i, l) * s(j, k));
}

// The covariance at the mode: that of the scale, as correlations, completed on the graph.
SquareMatrix completed(const BitMatrix& adjacent, const SquareMatrix& correlation) {
  constexpr double tolerance = 1e-10;
  constexpr std::size_t most_sweeps = 10'000;
  const std::vector<double> cells = correlation.rows();
  std::vector<double> result(cells.size());
  if (complete_covariance(cells, adjacent, tolerance, most_sweeps, result) == CompletionFailure::not_positive_definite)
    throw std::domain_error("the scale is not positive definite");
  return SquareMatrix(result, adjacent.size());
}

// More entries than this have no Hessian of their own: its determinant would take longer than a sweep.
constexpr std::size_t most_entries = 400;

// Where the scale is that of the mode already: the constant of a decomposable graph that contains this one, which has
// the same mode, without the entries that it has besides, each normal with the variance of a full matrix.
double covered_part(const BitMatrix& adjacent, double b, const SquareMatrix& covariance) {
  std::vector<Pair> added;
  elimination_order(adjacent, added);
  BitMatrix cover = adjacent;
  for (const auto& [i, j] : added) {
    cover.set(i, j);
    cover.set(j, i);
  }
  double sum = leaves_constant(peel(cover), b, covariance);
  const auto precision = inverse(covariance);
  if (!precision) throw std::domain_error("the scale is not positive definite");
  for (const auto& [i, j] : added)
    sum -= 0.5 * (log_2 + log_pi + std::log((b - 2) * precision->matrix(i, i) * precision->matrix(j, j)));
  return sum;
}

double laplace_of_part(const BitMatrix& adjacent, double b, SquareMatrix scale) {
  const std::size_t n = adjacent.size();
  std::vector<double> deviation(n);
  double units = 0;
  for (std::size_t i = 0; i < n; ++i) {
    deviation[i] = std::sqrt(scale(i, i));
    units -= (b + static_cast<double>(count(adjacent[i]))) * std::log(deviation[i]);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) scale(i, j) /= deviation[i] * deviation[j];
  const SquareMatrix covariance = completed(adjacent, scale);
  // At the mode K = (b-2)·S⁻¹ for the completed S, and the trace of K·D is (b-2)·n.
  const double half = (b - 2) / 2, size = static_cast<double>(n);
  const double sum = units + half * (size * std::log(b - 2) - log_determinant(covariance)) - half * size;
  const std::vector<Pair> entries = free_entries(adjacent);
  if (entries.size() > most_entries) return covered_part(adjacent, b, covariance) + units;
  SquareMatrix hessian(entries.size());
  for (std::size_t a = 0; a < entries.size(); ++a)
    for (std::size_t c = a; c < entries.size(); ++c)
      hessian(a, c) = curvature(covariance, entries[a], entries[c]) / (2 * (b - 2));
  return sum + 0.5 * static_cast<double>(entries.size()) * (log_2 + log_pi) - 0.5 * log_determinant(std::move(hessian));
}

}  // namespace

LogConstant log_constant(const BitMatrix& adjacent, double b, const SquareMatrix& scale, std::size_t draws,
                         Stream& random) {
  const Peeling peeling = peel(adjacent);
  LogConstant result{leaves_constant(peeling, b, scale), 0.0};
  double variance = 0;
  for (const NodeSequence& nodes : parts_of(adjacent, peeling)) {
    // In this order most entries off the edges are zero where the scale is diagonal.
    std::vector<Pair> fill;
    NodeSequence part;
    for (const std::size_t place : elimination_order(subgraph(adjacent, nodes), fill)) part.push_back(nodes[place]);
    const BitMatrix inside = subgraph(adjacent, part);
    const LogConstant one = MonteCarloConstant(inside, b, submatrix(scale, part)).estimate(draws, random);
    result.value += one.value;
    variance += one.error * one.error;
  }
  result.error = std::sqrt(variance);
  return result;
}

double laplace_constant(const BitMatrix& adjacent, double b, const SquareMatrix& scale) {
  const Peeling peeling = peel(adjacent);
  double sum = leaves_constant(peeling, b, scale);
  for (const NodeSequence& part : parts_of(adjacent, peeling))
    sum += laplace_of_part(subgraph(adjacent, part), b, submatrix(scale, part));
  return sum;
}

double bridged_constant(const BitMatrix& adjacent, double b, double scale, const ConstantRatio& ratio) {
  BitMatrix cover = adjacent;
  std::vector<Pair> added;
  elimination_order(adjacent, added);
  for (const auto& [i, j] : added) {
    cover.set(i, j);
    cover.set(j, i);
  }
  const std::size_t n = adjacent.size();
  SquareMatrix identity(n);
  for (std::size_t i = 0; i < n; ++i) identity(i, i) = scale;
  double sum = leaves_constant(peel(cover), b, identity);
  for (std::size_t k = added.size(); k-- > 0;) {
    const auto [i, j] = added[k];
    BitSet common(n, cover[i]);
    intersect(common, cover[j]);
    sum -= ratio.log_ratio(count(common));
    cover.reset(i, j);
    cover.reset(j, i);
  }
  return sum;
}

}  // namespace dagathlon
