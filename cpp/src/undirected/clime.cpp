#include "dagathlon/stats/constants.hpp"
#include "dagathlon/undirected/clime.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Corners that are nearer to each other than this count as one.
constexpr double together = 1e-11;
constexpr double no_pivot = 1e-11;

double sign(double value) { return value < 0.0 ? -1.0 : 1.0; }

// Positions of a growing and shrinking list of variables.
class Members {
 public:
  explicit Members(std::size_t n) : place_(n, absent) {}
  std::size_t size() const { return list_.size(); }
  std::size_t operator[](std::size_t k) const { return list_[k]; }
  bool has(std::size_t i) const { return place_[i] != absent; }
  void add(std::size_t i) {
    place_[i] = list_.size();
    list_.push_back(i);
  }
  void replace(std::size_t k, std::size_t i) {
    place_[list_[k]] = absent;
    place_[i] = k;
    list_[k] = i;
  }
  // The last one comes into its place.
  void remove(std::size_t k) {
    const std::size_t last = list_.back();
    place_[list_[k]] = absent;
    list_.pop_back();
    if (k == list_.size()) return;
    list_[k] = last;
    place_[last] = k;
  }

 private:
  static constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> list_, place_;
};

struct Corner {
  double distance = infinity;
  double pivot = 0.0;
  std::size_t which = 0;
  double side = 0.0;
  // The nearest; of those that are together, the one with the largest pivot.
  void offer(const Corner& other) {
    const double slack = together * (1.0 + std::abs(other.distance));
    if (other.distance > distance + slack) return;
    if (other.distance < distance - slack || std::abs(other.pivot) > std::abs(pivot)) *this = other;
  }
};

class Path {
 public:
  Path(const SquareMatrix& covariance, std::size_t target)
      : s_(covariance),
        n_(covariance.size()),
        target_(target),
        entries_(n_),
        rows_(n_),
        residual_(n_),
        slack_(n_),
        change_(n_) {}

  bool begin() {
    residual_[target_] = -1.0;
    return row_joins(target_, -1.0);
  }

  double penalty() const { return penalty_; }

  // The solution at a penalty between this corner and the next.
  std::vector<double> at(double penalty) const {
    std::vector<double> result(n_, 0.0);
    const auto values = solution(penalty);
    for (std::size_t k = 0; k < values.size(); ++k) result[entries_[k]] = values[k];
    return result;
  }

  // The penalty of the next corner.
  double look_ahead() {
    refresh();
    const auto rates = times_inverse(signs_);
    multiply(entries_, rates, change_);
    next_row_ = next_entry_ = Corner{};
    for (std::size_t i = 0; i < n_; ++i) {
      if (rows_.has(i)) continue;
      for (const double side : {1.0, -1.0}) {
        const double rate = 1.0 - side * change_[i], left = std::max(penalty_ - side * residual_[i], 0.0);
        if (rate > no_pivot) next_row_.offer({left / rate, rate, i, side});
      }
    }
    for (std::size_t k = 0; k < rates.size(); ++k)
      if (rates[k] * entry_signs_[k] > no_pivot)
        next_entry_.offer({std::max(values_[k] / rates[k], 0.0), rates[k], k, entry_signs_[k]});
    return penalty_ - std::min({next_row_.distance, next_entry_.distance, penalty_});
  }

  // Goes there; false where the path ends.
  bool turn() {
    const double distance = std::min(next_row_.distance, next_entry_.distance);
    if (distance >= penalty_) return false;
    penalty_ -= distance;
    for (std::size_t i = 0; i < n_; ++i) residual_[i] -= distance * change_[i];
    return next_entry_.distance < next_row_.distance ? entry_leaves(next_entry_.which)
                                                     : row_joins(next_row_.which, next_row_.side);
  }

 private:
  // Row `i` has come to its bound: its multiplier moves from zero, until an entry joins or a row leaves.
  bool row_joins(std::size_t i, double side) {
    std::vector<double> right(entries_.size());
    for (std::size_t k = 0; k < right.size(); ++k) right[k] = -side * s_(i, entries_[k]);
    const auto duals = times_transposed(right);
    multiply(rows_, duals, change_);
    add_multiple(change_.data(), s_.row(i), side, n_);
    const Corner entry = next_entry(n_), row = next_row(duals);
    if (std::min(entry.distance, row.distance) == infinity) return false;
    if (row.distance < entry.distance) {
      rows_.replace(row.which, i);
      signs_[row.which] = side;
      return replaced_row(row.which);
    }
    rows_.add(i);
    signs_.push_back(side);
    entries_.add(entry.which);
    entry_signs_.push_back(-entry.side);
    return bordered();
  }

  // Entry `k` has come to zero: its slack opens, until another entry joins or a row leaves.
  bool entry_leaves(std::size_t k) {
    std::vector<double> right(entries_.size(), 0.0);
    right[k] = entry_signs_[k];
    const auto duals = times_transposed(right);
    multiply(rows_, duals, change_);
    const Corner entry = next_entry(entries_[k]), row = next_row(duals);
    if (std::min(entry.distance, row.distance) == infinity) return false;
    if (entry.distance <= row.distance) {
      if (entry.which != entries_[k]) entries_.replace(k, entry.which);
      entry_signs_[k] = -entry.side;
      return replaced_entry(k);
    }
    return shrunk(row.which, k);
  }

  // The entry whose slack closes first; one that has just left must come to the other side.
  Corner next_entry(std::size_t just_left) const {
    Corner result;
    for (std::size_t j = 0; j < n_; ++j) {
      if (std::abs(change_[j]) <= no_pivot || (entries_.has(j) && j != just_left)) continue;
      const double side = sign(change_[j]);
      result.offer({std::max((side - slack_[j]) / change_[j], 0.0), change_[j], j, side});
    }
    return result;
  }

  // The row whose multiplier comes to zero first.
  Corner next_row(std::span<const double> changes) const {
    Corner result;
    for (std::size_t k = 0; k < changes.size(); ++k)
      if (changes[k] * signs_[k] < -no_pivot)
        result.offer({std::max(-duals_[k] / changes[k], 0.0), changes[k], k, signs_[k]});
    return result;
  }

  // Everything anew from the inverse, and the inverse where it has become too bad, so that rounding does not add up.
  void refresh() {
    pulse::beat(4 * n_ * entries_.size());
    find_residuals();
    if (basis_error() > 1e-10 && invert_anew()) find_residuals();
    std::vector<double> right(entries_.size());
    for (std::size_t k = 0; k < right.size(); ++k) right[k] = -entry_signs_[k];
    duals_ = times_transposed(right);
    multiply(rows_, duals_, slack_);
  }

  void find_residuals() {
    values_ = solution(penalty_);
    multiply(entries_, values_, residual_);
    residual_[target_] -= 1.0;
  }

  // How far the rows of the basis are from their bounds.
  double basis_error() const {
    double worst = 0.0;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      worst = std::max(worst, std::abs(residual_[rows_[k]] - penalty_ * signs_[k]));
    return worst;
  }

  std::vector<double> solution(double penalty) const {
    std::vector<double> right(rows_.size());
    for (std::size_t k = 0; k < right.size(); ++k) right[k] = penalty * signs_[k] + (rows_[k] == target_ ? 1.0 : 0.0);
    return times_inverse(right);
  }

  // Sum of rows of S with these weights.
  void multiply(const Members& members, std::span<const double> weights, std::vector<double>& out) const {
    std::ranges::fill(out, 0.0);
    for (std::size_t k = 0; k < weights.size(); ++k) add_multiple(out.data(), s_.row(members[k]), weights[k], n_);
  }

  // The inverse of the rows at their bounds and the entries that are not zero: entry by row.
  std::vector<double> times_inverse(std::span<const double> right) const {
    const std::size_t size = right.size();
    std::vector<double> result(size, 0.0);
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b < size; ++b) result[a] += inverse_[a][b] * right[b];
    return result;
  }
  std::vector<double> times_transposed(std::span<const double> right) const {
    const std::size_t size = right.size();
    std::vector<double> result(size, 0.0);
    for (std::size_t a = 0; a < size; ++a) add_multiple(result.data(), inverse_[a].data(), right[a], size);
    return result;
  }

  bool bordered();
  bool replaced_row(std::size_t k);
  bool replaced_entry(std::size_t k);
  bool shrunk(std::size_t row, std::size_t entry);
  bool invert_anew();
  bool changed() { return ++updates_ % updates_per_inversion != 0 || invert_anew(); }

  static constexpr std::size_t updates_per_inversion = 40;

  const SquareMatrix& s_;
  std::size_t n_, target_;
  double penalty_ = 1.0;
  // Entries that are not zero with their signs and values, rows at their bounds with their sides and multipliers.
  Members entries_, rows_;
  std::vector<double> entry_signs_, signs_, values_, duals_;
  std::vector<std::vector<double>> inverse_;
  // Sb - e, S·multipliers, and how one of them changes.
  std::vector<double> residual_, slack_, change_;
  Corner next_row_, next_entry_;
  std::size_t updates_ = 0;
};

// The last row and entry are new.
bool Path::bordered() {
  const std::size_t size = inverse_.size(), row = rows_[size], entry = entries_[size];
  std::vector<double> against_rows(size), against_entries(size);
  for (std::size_t k = 0; k < size; ++k) {
    against_rows[k] = s_(rows_[k], entry);
    against_entries[k] = s_(row, entries_[k]);
  }
  const auto up = times_inverse(against_rows);
  const auto left = times_transposed(against_entries);
  double pivot = s_(row, entry);
  for (std::size_t k = 0; k < size; ++k) pivot -= against_entries[k] * up[k];
  if (std::abs(pivot) <= no_pivot) return false;
  for (std::size_t a = 0; a < size; ++a) {
    add_multiple(inverse_[a].data(), left.data(), up[a] / pivot, size);
    inverse_[a].push_back(-up[a] / pivot);
  }
  inverse_.emplace_back(size + 1);
  for (std::size_t b = 0; b < size; ++b) inverse_[size][b] = -left[b] / pivot;
  inverse_[size][size] = 1.0 / pivot;
  return changed();
}

// Row k of the basis is another one.
bool Path::replaced_row(std::size_t k) {
  const std::size_t size = inverse_.size();
  std::vector<double> given(size);
  for (std::size_t a = 0; a < size; ++a) given[a] = s_(rows_[k], entries_[a]);
  const auto weights = times_transposed(given);
  if (std::abs(weights[k]) <= no_pivot) return false;
  for (auto& line : inverse_) {
    const double scaled = line[k] / weights[k];
    add_multiple(line.data(), weights.data(), -scaled, size);
    line[k] = scaled;
  }
  return changed();
}

// Entry k of the basis is another one.
bool Path::replaced_entry(std::size_t k) {
  const std::size_t size = inverse_.size();
  std::vector<double> given(size);
  for (std::size_t b = 0; b < size; ++b) given[b] = s_(rows_[b], entries_[k]);
  const auto weights = times_inverse(given);
  if (std::abs(weights[k]) <= no_pivot) return false;
  for (double& value : inverse_[k]) value /= weights[k];
  for (std::size_t a = 0; a < size; ++a)
    if (a != k) add_multiple(inverse_[a].data(), inverse_[k].data(), -weights[a], size);
  return changed();
}

// A row and an entry have left.
bool Path::shrunk(std::size_t row, std::size_t entry) {
  const std::size_t last = inverse_.size() - 1;
  const double pivot = inverse_[entry][row];
  if (std::abs(pivot) <= no_pivot) return false;
  for (std::size_t a = 0; a <= last; ++a)
    if (a != entry) add_multiple(inverse_[a].data(), inverse_[entry].data(), -inverse_[a][row] / pivot, last + 1);
  inverse_[entry].swap(inverse_[last]);
  inverse_.pop_back();
  for (auto& line : inverse_) {
    line[row] = line[last];
    line.pop_back();
  }
  rows_.remove(row);
  entries_.remove(entry);
  std::swap(signs_[row], signs_.back());
  signs_.pop_back();
  std::swap(entry_signs_[entry], entry_signs_.back());
  entry_signs_.pop_back();
  return changed();
}

bool Path::invert_anew() {
  const std::size_t size = inverse_.size();
  SquareMatrix basis(size);
  for (std::size_t b = 0; b < size; ++b)
    for (std::size_t a = 0; a < size; ++a) basis(b, a) = s_(rows_[b], entries_[a]);
  const auto found = inverse(basis);
  if (!found) return false;
  for (std::size_t a = 0; a < size; ++a) std::copy_n(found->matrix.row(a), size, inverse_[a].begin());
  return true;
}

// Where the covariance is next to singular, a path can lose its way.
bool keeps_bounds(const SquareMatrix& covariance, std::size_t target, std::span<const double> entries, double penalty) {
  std::vector<double> residual(covariance.size(), 0.0);
  residual[target] = -1.0;
  for (std::size_t j = 0; j < entries.size(); ++j)
    if (entries[j] != 0.0) add_multiple(residual.data(), covariance.row(j), entries[j], residual.size());
  return std::ranges::all_of(residual, [&](double value) { return std::abs(value) <= penalty + 1e-8; });
}

}  // namespace

std::vector<std::vector<double>> clime_column(const SquareMatrix& covariance, std::size_t target,
                                              std::span<const double> penalties) {
  std::vector<std::vector<double>> result;
  while (result.size() < penalties.size() && penalties[result.size()] >= 1.0)
    result.emplace_back(covariance.size(), 0.0);
  Path path(covariance, target);
  if (!path.begin()) return result;
  // A path can be long, but not without end.
  for (std::size_t corner = 0; corner < 100 * (covariance.size() + 10); ++corner) {
    const double next = path.look_ahead();
    while (result.size() < penalties.size() && penalties[result.size()] >= next) {
      auto found = path.at(penalties[result.size()]);
      if (!keeps_bounds(covariance, target, found, penalties[result.size()])) return result;
      result.push_back(std::move(found));
    }
    if (result.size() == penalties.size() || !path.turn()) return result;
  }
  return result;
}

}  // namespace dagathlon
