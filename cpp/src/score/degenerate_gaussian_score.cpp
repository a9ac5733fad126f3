#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/score/degenerate_gaussian_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "dagathlon/stats/constants.hpp"
#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Below this share of its variance a column is left to one order of the arithmetic, so that the family
// has one value whichever way it is asked for.
constexpr double well_conditioned = 1e-3;

// Correlations that no column is a function of, and the logarithms of the variances.
struct Columns {
  SymmetricMatrix correlation;
  std::vector<double> log_variance;
  double rows;
};

Columns columns_of(const Moments& moments) {
  Columns result{correlation(moments), {}, static_cast<double>(moments.rows)};
  SymmetricMatrix& matrix = result.correlation;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const bool constant = matrix(i, i) == 0;
    result.log_variance.push_back(constant ? 0.0 : std::log(moments.scatter(i, i) / result.rows));
    matrix.set(i, i, 1.0);
    for (std::size_t j = 0; j < i; ++j) matrix.set(i, j, matrix(i, j) / (1 + independent_share));
  }
  return result;
}

// A Cholesky factor that grows by rows; all of its columns are kept.
class Factor {
 public:
  void start(const SymmetricMatrix& matrix, std::size_t most) {
    matrix_ = &matrix;
    stride_ = most;
    rows_.resize(most * most);
    members_.clear();
  }

  std::size_t size() const { return members_.size(); }
  void shrink(std::size_t size) { members_.resize(size); }

  // Appends a column; returns the variance that it keeps given those before.
  double add(std::size_t column) {
    double* row = rows_.data() + members_.size() * stride_;
    const double* with = matrix_->row(column);
    double rest = cholesky::solve_row<cholesky::Diagonal::inverse_root>(
        row, rows_.data(), stride_, members_.size(), with[column], [&](std::size_t j) { return with[members_[j]]; });
    // No column keeps less, but for rounding.
    rest = std::max(rest, 0.5 * independent_share);
    row[members_.size()] = 1.0 / std::sqrt(rest);
    members_.push_back(column);
    return rest;
  }

 private:
  const SymmetricMatrix* matrix_ = nullptr;
  std::size_t stride_ = 0;
  std::vector<double> rows_;
  std::vector<std::size_t> members_;
};

class DegenerateGaussianScore final : public Score {
 public:
  DegenerateGaussianScore(std::vector<Columns> parts, std::vector<std::size_t> of_child,
                          std::vector<std::size_t> starts, double penalty)
      : parts_(std::move(parts)), of_child_(std::move(of_child)), starts_(std::move(starts)), penalty_(penalty) {}

  std::size_t size() const override { return of_child_.size(); }

  double local(std::size_t child, Nodes parents) override {
    const std::size_t given = width(parents);
    const std::size_t all = given + width(child);
    pulse::beat(1 + all * all * all / 6);
    const Columns& part = parts_[of_child_[child]];
    if (!fits(given, all, part)) return without_freedom(child, given, part);
    factor_.start(part.correlation, all);
    for (const std::size_t s : parents) add(s);
    return term(child, given, add(child), part);
  }

  // The columns of the parents are taken out of all others once; what is left of the candidates and the
  // child is small. Where a column is nearly a function of others, each family is computed by itself.
  void additions(std::size_t child, Nodes parents, std::span<double> scores) override {
    const Columns& part = parts_[of_child_[child]];
    const std::size_t given = width(parents);
    if (!fits(given, given + width(child), part) || !sweep(part.correlation, parents)) {
      Score::additions(child, parents, scores);
      return;
    }
    std::size_t next = 0;
    for (std::size_t x = 0; x < size(); ++x) {
      if (next < parents.size() && parents[next] == x) ++next;
      else if (x != child) scores[x] = with(x, child, parents, given);
    }
  }

 private:
  std::size_t width(std::size_t node) const { return starts_[node + 1] - starts_[node]; }
  std::size_t width(Nodes nodes) const {
    std::size_t sum = 0;
    for (const std::size_t s : nodes) sum += width(s);
    return sum;
  }

  // Whether there are rows enough for a family; a node without parents always has a score.
  static bool fits(std::size_t given, std::size_t all, const Columns& part) {
    return part.rows > 0 && (given == 0 || static_cast<double>(all) + 1 < part.rows);
  }

  // A child that was set in every row has nothing to learn from.
  double without_freedom(std::size_t child, std::size_t given, const Columns& part) const {
    return part.rows == 0 ? -penalty_ * static_cast<double>(given * width(child)) : minus_infinity;
  }

  // Appends the columns of a node to the factor; returns the log determinant that they add.
  double add(std::size_t node) {
    double sum = 0;
    for (std::size_t c = starts_[node]; c < starts_[node + 1]; ++c) sum += std::log(factor_.add(c));
    return sum;
  }

  double term(std::size_t child, std::size_t given, double log_determinant, const Columns& part) const {
    const auto own = static_cast<double>(width(child));
    double sum = log_determinant + own * (1.0 + log_two_pi);
    for (std::size_t c = starts_[child]; c < starts_[child + 1]; ++c) sum += part.log_variance[c];
    return -0.5 * part.rows * sum - penalty_ * own * (static_cast<double>(given) + 0.5 * (own + 3));
  }

  // rows_ becomes the factor of the parents, a row for each of their columns and a place for every
  // column of the data; false when one of them is nearly a function of those before.
  bool sweep(const SymmetricMatrix& matrix, Nodes parents) {
    const std::size_t p = matrix.size();
    swept_ = 0;
    rows_.resize(width(parents) * p);
    for (const std::size_t s : parents)
      for (std::size_t c = starts_[s]; c < starts_[s + 1]; ++c) {
        pulse::beat(p * (1 + swept_));
        double* row = rows_.data() + swept_ * p;
        cholesky::sweep_row(rows_.data(), swept_, p, matrix.row(c), c);
        if (!(row[c] > well_conditioned)) return false;
        const double scale = 1.0 / std::sqrt(row[c]);
        for (std::size_t x = 0; x < p; ++x) row[x] *= scale;
        ++swept_;
      }
    return true;
  }

  // The term with one parent more, from what the parents leave of its columns and the child's.
  double with(std::size_t x, std::size_t child, Nodes parents, std::size_t given) {
    const Columns& part = parts_[of_child_[child]];
    const std::size_t added = width(x);
    if (!fits(given + added, given + added + width(child), part)) return without_freedom(child, given + added, part);
    const std::size_t d = added + width(child);
    pulse::beat(1 + d * d * (d + swept_));
    left_over(part.correlation, x, child);
    small_.start(remainder_, d);
    double log_determinant = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double rest = small_.add(i);
      if (!(rest > well_conditioned)) return one_by_one(x, child, parents);
      if (i >= added) log_determinant += std::log(rest);
    }
    return term(child, given + added, log_determinant, part);
  }

  // remainder_ becomes the matrix of the columns of x and of the child, given the parents.
  void left_over(const SymmetricMatrix& matrix, std::size_t x, std::size_t child) {
    small_columns_.clear();
    for (const std::size_t node : {x, child})
      for (std::size_t c = starts_[node]; c < starts_[node + 1]; ++c) small_columns_.push_back(c);
    const std::size_t d = small_columns_.size();
    if (remainder_.size() != d) remainder_ = SymmetricMatrix(d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const std::size_t a = small_columns_[i];
        const std::size_t b = small_columns_[j];
        double rest = matrix(a, b);
        for (std::size_t k = 0; k < swept_; ++k) rest -= rows_[k * matrix.size() + a] * rows_[k * matrix.size() + b];
        remainder_.set(i, j, rest);
      }
  }

  double one_by_one(std::size_t x, std::size_t child, Nodes parents) {
    family_.assign(parents.begin(), parents.end());
    family_.insert(std::ranges::lower_bound(family_, x), x);
    return local(child, family_);
  }

  std::vector<Columns> parts_;
  std::vector<std::size_t> of_child_;
  std::vector<std::size_t> starts_;
  double penalty_;
  Factor factor_;
  Factor small_;
  std::vector<double> rows_;
  std::size_t swept_ = 0;
  SymmetricMatrix remainder_;
  std::vector<std::size_t> small_columns_;
  std::vector<std::size_t> family_;
};

}  // namespace

std::unique_ptr<Score> degenerate_gaussian_score(ChildMoments moments, std::vector<std::size_t> starts,
                                                 double penalty) {
  std::vector<Columns> parts;
  for (const Moments& m : moments.distinct) parts.push_back(columns_of(m));
  return std::make_unique<DegenerateGaussianScore>(std::move(parts), std::move(moments.of_child), std::move(starts),
                                                   penalty);
}

}  // namespace dagathlon
