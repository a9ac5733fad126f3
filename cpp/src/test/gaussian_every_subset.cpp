// Whether any of very many sets separates two variables: all subsets are visited once, in the order of a tree that
// needs a few operations for each, instead of once for each size that they lead to.
#include <algorithm>
#include <cmath>
#include <vector>

#include "dagathlon/test/gaussian_test.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Sets up to this size are asked one size after the other: most variables are separated by few.
constexpr std::size_t few = 3;
// Numbers of candidates with too few sets to be worth it, and whose sets nobody can count.
constexpr std::size_t fewest_candidates = 6;
constexpr std::size_t most_candidates = 60;

std::size_t number_of_sets(std::size_t n, std::size_t size) {
  std::size_t result = 1;
  for (std::size_t k = 1; k <= size; ++k) result = result * (n - size + k) / k;
  return result;
}

}  // namespace

class EverySubset {
 public:
  EverySubset(GaussianTest& test, const SetSizes& sets, double alpha) : correlation_(test.correlation_), sets_(sets) {
    // Rounding is no reason to say that none separates.
    for (std::size_t k = 0; k <= sets.largest; ++k) limits_.push_back(test.critical_square_(k, alpha) * (1 + 1e-9));
  }

  // Whether one may separate: it does, or is so near to it, or to a linear dependence, that digits decide.
  bool any(std::size_t x, std::size_t y) {
    const Nodes nodes = sets_.candidates;
    const std::size_t n = nodes.size();
    // A level has for each candidate that is left its covariances with x, y and those behind it.
    levels_.resize((sets_.largest + 1) * (n + 2) * n);
    double* level = levels_.data();
    for (std::size_t a = 0; a < n; ++a) {
      level[a] = correlation_(x, nodes[a]);
      level[n + a] = correlation_(y, nodes[a]);
      for (std::size_t b = a; b < n; ++b) level[(2 + a) * n + b] = correlation_(nodes[a], nodes[b]);
    }
    return descend(0, n, {correlation_(x, x), correlation_(y, y), correlation_(x, y)});
  }

 private:
  struct Pair {
    double xx;
    double yy;
    double xy;
  };
  // Shares of variance below this are left to who looks at digits.
  static constexpr double small = 1e-5;
  // A bound costs more than the few sets that it may spare.
  static constexpr std::size_t worth_bounding = 5;
  // What rounding may do to a bound, where the candidates are no nearer to a linear dependence than this: then no
  // variable has a smaller share of its variance left, given any of the others.
  static constexpr double slack = 1e-6;
  static constexpr double smallest_determinant = 1e-8;

  double* level_at(std::size_t depth) {
    return levels_.data() + depth * (sets_.candidates.size() + 2) * sets_.candidates.size();
  }

  // The sets with one more of the candidates that are left, then with more of those behind it.
  bool descend(std::size_t depth, std::size_t left, const Pair& p) {
    const double* level = level_at(depth);
    if (left > 8) pulse::beat();
    const std::size_t end = left < worth_bounding ? left : first_hopeless(level, left, p);
    for (std::size_t i = 0; i < end; ++i) {
      const double* row = level + (2 + i) * left;
      if (!(row[i] > small)) return true;
      const double inverse = 1.0 / row[i];
      const double on_x = level[i] * inverse;
      const double on_y = level[left + i] * inverse;
      const Pair q{p.xx - level[i] * on_x, p.yy - level[left + i] * on_y, p.xy - level[left + i] * on_x};
      if (!(q.xx > small && q.yy > small)) return true;
      if (depth + 1 >= sets_.smallest && !(q.xy * q.xy > limits_[depth + 1] * q.xx * q.yy)) return true;
      if (depth + 1 == sets_.largest || i + 1 == left) continue;
      condition(depth, left, i, inverse);
      if (descend(depth + 1, left - i - 1, q)) return true;
    }
    return false;
  }

  // The first of the candidates that are left from which on no set separates. Conditioning on a set T takes u·Pv from
  // the covariance of x and y, where u and v are what all of these candidates explain of x and y, and P is the
  // projection that belongs to T: no more than (|u||v| + u·v) / 2, whatever T is. What remains of the variances is at
  // most what there is now. Candidates are taken in from the last to the first.
  std::size_t first_hopeless(const double* level, std::size_t left, const Pair& p) {
    const double sign = p.xy < 0 ? -1.0 : 1.0;
    const double spare = std::abs(p.xy) - std::sqrt(limits_.back() * p.xx * p.yy) - slack;
    rows_.resize(std::max(rows_.size(), left * left));
    explained_.resize(2 * std::max(explained_.size() / 2, left));
    double determinant = 1;
    Pair taken{0, 0, 0};
    for (std::size_t i = left; i-- > 0;) {
      // Row i of the factor: what i has in common with each of those behind it.
      double own = level[(2 + i) * left + i];
      double with_x = level[i];
      double with_y = level[left + i];
      double* row = rows_.data() + i * left;
      for (std::size_t j = left; j-- > i + 1;) {
        const double* other = rows_.data() + j * left;
        double rest = level[(2 + i) * left + j];
        for (std::size_t k = j + 1; k < left; ++k) rest -= row[k] * other[k];
        row[j] = rest * other[j];
        own -= row[j] * row[j];
        with_x -= row[j] * explained_[2 * j];
        with_y -= row[j] * explained_[2 * j + 1];
      }
      determinant *= own;
      if (!(determinant > smallest_determinant)) return i + 1;
      row[i] = 1.0 / std::sqrt(own);
      const double u = explained_[2 * i] = with_x * row[i];
      const double v = explained_[2 * i + 1] = with_y * row[i];
      taken = {taken.xx + u * u, taken.yy + v * v, taken.xy + u * v};
      if (!(p.xx - taken.xx > small && p.yy - taken.yy > small)) return i + 1;
      if (std::sqrt(taken.xx * taken.yy) + sign * taken.xy > 2 * spare) return i + 1;
    }
    return 0;
  }

  void condition(std::size_t depth, std::size_t left, std::size_t i, double inverse) {
    const double* level = level_at(depth);
    double* next = level_at(depth + 1);
    const std::size_t rest = left - i - 1;
    const double* row = level + (2 + i) * left + i + 1;
    for (std::size_t a = 0; a < rest; ++a) {
      const double share = row[a] * inverse;
      next[a] = level[i + 1 + a] - share * level[i];
      next[rest + a] = level[left + i + 1 + a] - share * level[left + i];
      const double* from = level + (2 + i + 1 + a) * left + i + 1;
      double* to = next + (2 + a) * rest;
      for (std::size_t b = a; b < rest; ++b) to[b] = from[b] - share * row[b];
    }
  }

  const SymmetricMatrix& correlation_;
  const SetSizes sets_;
  std::vector<double> limits_;
  std::vector<double> levels_;
  // The factor of the candidates that are left, and what each explains of x and of y beyond those behind it.
  std::vector<double> rows_;
  std::vector<double> explained_;
};

bool GaussianTest::separable(std::size_t x, std::size_t y, const SetSizes& sets, double alpha) {
  const std::size_t n = sets.candidates.size();
  const std::size_t largest = std::min(sets.largest, n);
  const std::size_t start = std::min(largest, std::max(few, sets.smallest));
  if (separable_by_size(x, y, {sets.candidates, sets.smallest, start}, alpha)) return true;
  if (start == largest) return false;
  const SetSizes rest{sets.candidates, start + 1, largest};
  const bool countable = n >= fewest_candidates && n <= most_candidates && critical_square_(largest, alpha) >= 0;
  if (!countable || EverySubset(*this, rest, alpha).any(x, y)) return separable_by_size(x, y, rest, alpha);
  for (std::size_t size = rest.smallest; size <= largest; ++size) calls_ += number_of_sets(n, size);
  return false;
}

}  // namespace dagathlon
