#include "dagathlon/test/vanishing_minors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr double infinite = 1e300;
// Answers about six variables that are remembered, some hundred megabytes of them.
constexpr std::size_t most_kept = 4'000'000;

// t' S⁻¹ t of a symmetric positive definite matrix; very large where it is none.
template <std::size_t size>
double quadratic_form(std::array<std::array<double, size>, size> s, std::array<double, size> t) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (!(s[i][i] > 0)) return infinite;
    sum += t[i] * t[i] / s[i][i];
    for (std::size_t j = i + 1; j < size; ++j) {
      const double factor = s[j][i] / s[i][i];
      for (std::size_t k = i; k < size; ++k) s[j][k] -= factor * s[i][k];
      t[j] -= factor * t[i];
    }
  }
  return sum;
}

// Rows of gradients (one for each minor) with the spread of the covariances that they are taken by.
template <std::size_t minors, std::size_t pairs>
double joint_statistic(const std::array<std::array<double, pairs>, minors>& gradients,
                       const std::array<std::array<double, pairs>, pairs>& spread,
                       const std::array<double, minors>& values, double rows) {
  std::array<std::array<double, minors>, minors> covariance{};
  for (std::size_t a = 0; a < minors; ++a) {
    std::array<double, pairs> product{};
    for (std::size_t e = 0; e < pairs; ++e) {
      if (gradients[a][e] == 0) continue;
      for (std::size_t f = 0; f < pairs; ++f) product[f] += gradients[a][e] * spread[e][f];
    }
    for (std::size_t b = 0; b < minors; ++b) {
      for (std::size_t f = 0; f < pairs; ++f) covariance[a][b] += product[f] * gradients[b][f];
    }
  }
  return rows * quadratic_form(covariance, values);
}

double determinant(std::array<std::array<double, 4>, 4> m) {
  double product = 1;
  for (std::size_t i = 0; i < 4; ++i) {
    if (m[i][i] == 0) return 0;
    product *= m[i][i];
    for (std::size_t j = i + 1; j < 4; ++j) {
      const double factor = m[j][i] / m[i][i];
      for (std::size_t k = i; k < 4; ++k) m[j][k] -= factor * m[i][k];
    }
  }
  return product;
}

// Five of the ten sextads of six variables, on which the others depend: which three stand first.
constexpr std::array<std::array<std::size_t, 6>, 5> sextads_of_six = {
    {{0, 1, 2, 3, 4, 5}, {0, 1, 3, 2, 4, 5}, {0, 1, 4, 2, 3, 5}, {0, 2, 3, 1, 4, 5}, {0, 2, 4, 1, 3, 5}}};

// Place of a pair of six among the fifteen.
constexpr std::size_t pair_of_six(std::size_t i, std::size_t j) {
  const std::size_t low = i < j ? i : j;
  const std::size_t high = i < j ? j : i;
  return low * 6 - low * (low + 1) / 2 + high - low - 1;
}

}  // namespace

std::size_t SampleMoments::pair(std::size_t i, std::size_t j) const {
  const std::size_t low = std::min(i, j);
  return low * variables - low * (low + 1) / 2 + std::max(i, j) - low - 1;
}

double SampleMoments::spread(std::size_t a, std::size_t b, double r_a, double r_b) const {
  const std::size_t pairs = variables * (variables - 1) / 2;
  return fourth[a * pairs + b] - r_a * r_b;
}

std::uint64_t set_key(Members sorted) {
  const unsigned bits = sorted.size() > 5 ? 10 : 12;
  std::uint64_t key = 0;
  for (const std::size_t member : sorted) key = (key << bits) | member;
  return key;
}

bool VanishingMinors::vanish(Members members) {
  pulse::beat(test_ == MinorTest::sextad ? 1u << 14 : 0);
  switch (test_) {
    case MinorTest::wishart: ++tests_; return tetrads_by_wishart(members, 3);
    case MinorTest::two_wishart: ++tests_; return tetrads_by_wishart(members, 2);
    case MinorTest::delta:
    case MinorTest::partial_delta:
      ++tests_;
      return tetrads_by_delta(members, test_ == MinorTest::partial_delta) < critical_;
    case MinorTest::sextad: return sextads_vanish(members);
  }
  return false;
}

double VanishingMinors::tetrad(std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
  pulse::beat(0);
  ++tests_;
  if (test_ == MinorTest::wishart) return wishart(i, j, k, l);
  const std::array<std::size_t, 4> members = {i, j, k, l};
  return tetrad_by_delta(members);
}

bool VanishingMinors::tetrads_by_wishart(Members m, std::size_t count) const {
  const double limit = critical_;
  if (!(wishart(m[0], m[1], m[2], m[3]) < limit)) return false;
  if (!(wishart(m[0], m[1], m[3], m[2]) < limit)) return false;
  return count == 2 || wishart(m[0], m[2], m[3], m[1]) < limit;
}

// Squared tetrad r_ij r_kl - r_ik r_jl over its variance (Wishart 1928).
double VanishingMinors::wishart(std::size_t i, std::size_t j, std::size_t k, std::size_t l) const {
  const std::array<std::size_t, 4> at = {i, j, k, l};
  std::array<std::array<double, 4>, 4> matrix{};
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) matrix[a][b] = moments_.r(at[a], at[b]);
  }
  const double n = moments_.rows;
  const double tetrad = matrix[0][1] * matrix[2][3] - matrix[0][2] * matrix[1][3];
  const double outer = 1 - matrix[0][3] * matrix[0][3];
  const double inner = 1 - matrix[1][2] * matrix[1][2];
  const double variance = ((n + 1) / (n - 1) * outer * inner - determinant(matrix)) / (n - 2);
  return variance > 0 ? tetrad * tetrad / variance : infinite;
}

double VanishingMinors::tetrads_by_delta(Members m, bool partial) const {
  // xy, zw, xz, yw, xw, yz
  constexpr std::array<std::array<std::size_t, 2>, 6> ends = {{{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}}};
  std::array<double, 6> r{};
  std::array<std::size_t, 6> place{};
  for (std::size_t e = 0; e < 6; ++e) {
    r[e] = moments_.r(m[ends[e][0]], m[ends[e][1]]);
    place[e] = moments_.pair(m[ends[e][0]], m[ends[e][1]]);
  }
  std::array<std::array<double, 6>, 6> spread{};
  for (std::size_t e = 0; e < 6; ++e) {
    for (std::size_t f = 0; f < 6; ++f) spread[e][f] = moments_.spread(place[e], place[f], r[e], r[f]);
  }
  const double first = partial ? 0 : r[1];
  const double second = partial ? 0 : r[0];
  const std::array<std::array<double, 6>, 2> gradients = {
      {{first, second, -r[3], -r[2], 0, 0}, {first, second, 0, 0, -r[5], -r[4]}}};
  const std::array<double, 2> values = {r[0] * r[1] - r[2] * r[3], r[0] * r[1] - r[4] * r[5]};
  return joint_statistic(gradients, spread, values, moments_.rows);
}

double VanishingMinors::tetrad_by_delta(Members m) const {
  constexpr std::array<std::array<std::size_t, 2>, 4> ends = {{{0, 1}, {2, 3}, {0, 2}, {1, 3}}};
  std::array<double, 4> r{};
  for (std::size_t e = 0; e < 4; ++e) r[e] = moments_.r(m[ends[e][0]], m[ends[e][1]]);
  std::array<std::array<double, 4>, 4> spread{};
  for (std::size_t e = 0; e < 4; ++e) {
    const std::size_t at = moments_.pair(m[ends[e][0]], m[ends[e][1]]);
    for (std::size_t f = 0; f < 4; ++f) {
      spread[e][f] = moments_.spread(at, moments_.pair(m[ends[f][0]], m[ends[f][1]]), r[e], r[f]);
    }
  }
  const std::array<std::array<double, 4>, 1> gradient = {{{r[1], r[0], -r[3], -r[2]}}};
  const std::array<double, 1> value = {r[0] * r[1] - r[2] * r[3]};
  return joint_statistic(gradient, spread, value, moments_.rows);
}

bool VanishingMinors::sextads_vanish(Members m) {
  std::array<std::size_t, 6> sorted{};
  std::copy_n(m.begin(), 6, sorted.begin());
  std::ranges::sort(sorted);
  const std::uint64_t key = set_key(sorted);
  const auto known = sextets_.find(key);
  if (known != sextets_.end()) return known->second;
  ++tests_;
  const bool found = sextads(sorted) < critical_;
  if (sextets_.size() < most_kept) sextets_.emplace(key, found);
  return found;
}

double VanishingMinors::sextads(std::span<const std::size_t, 6> m) const {
  std::array<double, 15> r{};
  std::array<std::size_t, 15> place{};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = i + 1; j < 6; ++j) {
      r[pair_of_six(i, j)] = moments_.r(m[i], m[j]);
      place[pair_of_six(i, j)] = moments_.pair(m[i], m[j]);
    }
  }
  std::array<std::array<double, 15>, 15> spread{};
  for (std::size_t e = 0; e < 15; ++e) {
    for (std::size_t f = 0; f < 15; ++f) spread[e][f] = moments_.spread(place[e], place[f], r[e], r[f]);
  }
  std::array<std::array<double, 15>, 5> gradients{};
  std::array<double, 5> values{};
  for (std::size_t s = 0; s < 5; ++s) {
    const auto& sextad = sextads_of_six[s];
    const auto cell = [&](std::size_t a, std::size_t b) { return r[pair_of_six(sextad[a % 3], sextad[3 + b % 3])]; };
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        const double cofactor = cell(a + 1, b + 1) * cell(a + 2, b + 2) - cell(a + 1, b + 2) * cell(a + 2, b + 1);
        gradients[s][pair_of_six(sextad[a], sextad[3 + b])] = cofactor;
        if (a == 0) values[s] += cell(0, b) * cofactor;
      }
    }
  }
  return joint_statistic(gradients, spread, values, moments_.rows);
}

}  // namespace dagathlon
