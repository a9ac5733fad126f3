#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/score/gaussian_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "dagathlon/stats/constants.hpp"
#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// What a score is made of: the variation that a child keeps given its parents, and the log
// determinant of the parents' own matrix.
struct Residual {
  double rest;
  double log_determinant;
};

// Sweeps parents out of all columns at once: after k steps `variance[x]` is what x keeps, and
// `shared[x]` what it has in common with the child. A parent that keeps no more than a share of its own
// variation is passed over.
class Sweep {
 public:
  explicit Sweep(double least_share) : least_share_(least_share) {}

  void start(const SymmetricMatrix& matrix, std::size_t child, Nodes parents) {
    matrix_ = &matrix;
    const std::size_t p = matrix.size();
    variance_.resize(p);
    for (std::size_t x = 0; x < p; ++x) variance_[x] = matrix(x, x);
    shared_.assign(matrix.row(child), matrix.row(child) + p);
    log_determinant_ = 0;
    rows_.resize(parents.size() * p);
    for (std::size_t k = 0; k < parents.size(); ++k) remove(k, parents, child);
  }

  double variance(std::size_t x) const { return variance_[x]; }
  double shared(std::size_t x) const { return shared_[x]; }
  double log_determinant() const { return log_determinant_; }

 private:
  void remove(std::size_t k, Nodes parents, std::size_t child) {
    const std::size_t p = matrix_->size();
    const std::size_t parent = parents[k];
    double* row = rows_.data() + k * p;
    const double pivot = variance_[parent];
    if (!(pivot > least_share_ * (*matrix_)(parent, parent))) {
      std::fill_n(row, p, 0.0);
      return;
    }
    cholesky::sweep_row(rows_.data(), k, p, matrix_->row(parent), parent);
    const double scale = 1.0 / std::sqrt(pivot);
    for (std::size_t x = 0; x < p; ++x) row[x] *= scale;
    const double of_child = row[child];
    for (std::size_t x = 0; x < p; ++x) {
      variance_[x] -= row[x] * row[x];
      shared_[x] -= of_child * row[x];
    }
    log_determinant_ += std::log(pivot);
  }

  double least_share_;
  const SymmetricMatrix* matrix_ = nullptr;
  std::vector<double> variance_;
  std::vector<double> shared_;
  std::vector<double> rows_;
  double log_determinant_ = 0;
};

// The same for the child alone, by the Cholesky factor of the family.
class Factor {
 public:
  explicit Factor(double least_share) : least_share_(least_share) {}

  Residual residual(const SymmetricMatrix& matrix, std::size_t child, Nodes parents) {
    const std::size_t k = parents.size();
    rows_.resize((k + 1) * k);
    double log_determinant = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const double own = matrix(parents[i], parents[i]);
      const double rest = solve(matrix.row(parents[i]), parents, i, i, own);
      const bool collinear = !(rest > least_share_ * own);
      // The diagonal holds the inverse; it is 0 for a parent that is passed over.
      rows_[i * k + i] = collinear ? 0.0 : 1.0 / std::sqrt(rest);
      if (!collinear) log_determinant += std::log(rest);
    }
    return {solve(matrix.row(child), parents, k, k, matrix(child, child)), log_determinant};
  }

 private:
  double solve(const double* covariances, Nodes parents, std::size_t row, std::size_t known, double own) {
    const std::size_t k = parents.size();
    return cholesky::solve_row<cholesky::Diagonal::inverse_root>(
        rows_.data() + row * k, rows_.data(), k, known, own, [&](std::size_t j) { return covariances[parents[j]]; });
  }

  double least_share_;
  std::vector<double> rows_;
};

class Likelihood {
 public:
  static constexpr bool needs_determinant = false;
  static constexpr double least_share = collinear_share;
  Likelihood(const Moments& moments, PenalisedLikelihood kind)
      : rows_(static_cast<double>(moments.rows)), kind_(kind) {}
  double observations() const { return rows_; }

  double operator()(std::size_t n_parents, const Residual& residual) const {
    const auto k = static_cast<double>(n_parents);
    // A child that was set in every row has nothing to learn from.
    if (rows_ == 0) return -kind_.penalty * k;
    if (k + 1 >= rows_) return minus_infinity;
    switch (kind_.convention) {
      case PenalisedLikelihood::Convention::unbiased:
        return -0.5 * rows_ * (log_two_pi + std::log(residual.rest / (rows_ - k - 1))) - 0.5 * (rows_ - k - 1) -
               kind_.penalty * (k + 2);
      case PenalisedLikelihood::Convention::maximum:
        return -0.5 * rows_ * (1 + std::log(residual.rest / rows_)) - kind_.penalty * (k + 1);
      default: return -rows_ * (1 + log_two_pi + std::log(residual.rest / (rows_ - 1))) - kind_.penalty * k;
    }
  }

 private:
  double rows_;
  PenalisedLikelihood kind_;
};

class Bge {
 public:
  static constexpr bool needs_determinant = true;
  static constexpr double least_share = collinear_share;
  Bge(const Moments& moments, double alpha_mu, double alpha_w) {
    const std::size_t p = moments.means.size();
    const auto n = static_cast<double>(moments.rows);
    const double prior = alpha_mu * (alpha_w - static_cast<double>(p) - 1) / (alpha_mu + 1);
    freedom_ = alpha_w - static_cast<double>(p);
    rows_ = n;
    for (std::size_t k = 0; k < p; ++k) {
      const auto parents = static_cast<double>(k);
      constant_.push_back(0.5 * (std::log(alpha_mu) - std::log(n + alpha_mu)) - 0.5 * n * std::log(std::numbers::pi) +
                          std::lgamma(0.5 * (n + freedom_ + parents + 1)) -
                          std::lgamma(0.5 * (freedom_ + parents + 1)) +
                          0.5 * (freedom_ + 2 * parents + 1) * std::log(prior));
    }
  }

  double observations() const { return rows_; }
  double operator()(std::size_t n_parents, const Residual& residual) const {
    const double exponent = 0.5 * (rows_ + freedom_ + static_cast<double>(n_parents) + 1);
    return constant_[n_parents] - 0.5 * residual.log_determinant - exponent * std::log(residual.rest);
  }

 private:
  double rows_ = 0;
  double freedom_ = 0;
  std::vector<double> constant_;
};

// The marginal likelihood of one node with coefficients N(0, σ²/precision) and σ² ~ IG(shape, rate). The
// precision is on the whole diagonal of the matrix, so the child's own is taken off again.
class NormalInverseGammaFormula {
 public:
  static constexpr bool needs_determinant = true;
  // The prior keeps every matrix regular, so that only rounding is passed over.
  static constexpr double least_share = 1e-14;
  NormalInverseGammaFormula(const Moments& moments, const NormalInverseGamma& prior)
      : prior_(prior), shape_(prior.shape + 0.5 * static_cast<double>(moments.rows)) {
    constant_ = -0.5 * static_cast<double>(moments.rows) * log_two_pi + prior.shape * std::log(prior.rate) +
                std::lgamma(shape_) - std::lgamma(prior.shape);
  }

  double observations() const { return 2 * shape_; }
  double operator()(std::size_t n_parents, const Residual& residual) const {
    const double rate = prior_.rate + 0.5 * std::max(residual.rest - prior_.precision, 0.0);
    const double spread = static_cast<double>(n_parents) * std::log(prior_.precision) - residual.log_determinant;
    return constant_ + 0.5 * spread - shape_ * std::log(rate);
  }

 private:
  NormalInverseGamma prior_;
  double shape_;
  double constant_ = 0;
};

class Fractional {
 public:
  static constexpr bool needs_determinant = false;
  static constexpr double least_share = collinear_share;
  explicit Fractional(const Moments& moments) : rows_(static_cast<double>(moments.rows)) {
    for (std::size_t k = 0; k <= moments.means.size(); ++k) {
      const auto neighbours = static_cast<double>(k);
      constant_.push_back(std::lgamma(0.5 * (rows_ + neighbours)) - std::lgamma(0.5 * (neighbours + 1)) -
                          (neighbours + 0.5) * std::log(rows_) - 0.5 * (rows_ - 1) * std::log(std::numbers::pi));
    }
  }
  double observations() const { return rows_; }

  double operator()(std::size_t n_parents, const Residual& residual) const {
    if (n_parents > 0 && static_cast<double>(n_parents) + 1 >= rows_) return minus_infinity;
    return rows_ > 0 ? constant_[n_parents] - 0.5 * (rows_ - 1) * std::log(residual.rest) : 0.0;
  }

 private:
  double rows_;
  std::vector<double> constant_;
};

// Residuals of one node given every set of others. Sets are grown from the first node to the last, and what
// the nodes yet to come keep is carried along: most sets differ in their last members only, so that a set
// costs a few operations however many nodes there are.
class AllResiduals {
 public:
  AllResiduals(const SymmetricMatrix& matrix, std::size_t child, double least_share) : least_share_(least_share) {
    std::vector<std::size_t> order;
    for (std::size_t x = 0; x < matrix.size(); ++x)
      if (x != child) order.push_back(x);
    order.push_back(child);
    for (const std::size_t x : order) own_.push_back(matrix(x, x));
    for (std::size_t size = order.size(); size > 0; --size) levels_.emplace_back(size * size);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) levels_[0][i * order.size() + j] = matrix(order[i], order[j]);
  }

  // Calls use(rank, number of parents, residual) for each set.
  template <class Use>
  void for_each(Use&& use) {
    visit(0, {0, 0, 0.0}, use);
  }

 private:
  struct Chosen {
    std::size_t rank;
    std::size_t count;
    double log_determinant;
  };

  template <class Use>
  void visit(std::size_t level, const Chosen& chosen, Use& use) {
    if (level + 1 == levels_.size()) return use(chosen.rank, chosen.count, {levels_[level][0], chosen.log_determinant});
    const Chosen more{chosen.rank | (std::size_t{1} << level), chosen.count + 1, chosen.log_determinant};
    const double pivot = levels_[level][0];
    reduce(level, 0.0);
    visit(level + 1, chosen, use);
    if (!(pivot > least_share_ * own_[level])) return visit(level + 1, more, use);
    reduce(level, 1.0 / pivot);
    visit(level + 1, {more.rank, more.count, more.log_determinant + std::log(pivot)}, use);
  }

  // The next level: the matrix without its first row, or with that row swept out of the others.
  void reduce(std::size_t level, double scale) {
    const std::size_t size = levels_.size() - level;
    const double* from = levels_[level].data();
    double* to = levels_[level + 1].data();
    for (std::size_t i = 1; i < size; ++i) {
      const double factor = from[i * size] * scale;
      for (std::size_t j = 1; j <= i; ++j)
        to[(i - 1) * (size - 1) + j - 1] = from[i * size + j] - factor * from[j * size];
    }
  }

  double least_share_;
  std::vector<double> own_;
  // What the nodes from each on and the child keep, lower triangles.
  std::vector<std::vector<double>> levels_;
};

template <class Formula>
class GaussianScore final : public Score, private AllFamilies {
 public:
  using Matrices = std::vector<SymmetricMatrix>;

  GaussianScore(Matrices matrices, std::vector<Formula> formulas, std::vector<std::size_t> of_child)
      : GaussianScore(std::make_shared<const Matrices>(std::move(matrices)), std::move(formulas), std::move(of_child)) {
  }
  GaussianScore(std::shared_ptr<const Matrices> shared, std::vector<Formula> formulas,
                std::vector<std::size_t> of_child)
      : shared_(std::move(shared)),
        matrices_(*shared_),
        formulas_(std::move(formulas)),
        of_child_(std::move(of_child)) {}
  std::unique_ptr<Score> twin() const override {
    return std::make_unique<GaussianScore>(shared_, formulas_, of_child_);
  }

  std::size_t size() const override { return of_child_.size(); }

  // More parents leave the child no less than all of them do, and each adds to the determinant no less
  // than what it keeps given all the others.
  double bound_above(std::size_t child, Nodes parents) override {
    const std::size_t part = of_child_[child];
    const Kept& least = kept_given_all(part);
    if (least.singular) return std::numeric_limits<double>::infinity();
    Residual best{least.of_node[child], factor_.residual(matrices_[part], child, parents).log_determinant};
    double bound = minus_infinity;
    std::size_t k = parents.size();
    for (const std::size_t x : least.by_size) {
      if (x == child || std::ranges::binary_search(parents, x)) continue;
      best.log_determinant += std::log(least.of_node[x]);
      bound = std::max(bound, formulas_[part](++k, best));
    }
    return bound;
  }

  double local(std::size_t child, Nodes parents) override {
    const SymmetricMatrix& matrix = matrices_[of_child_[child]];
    Residual residual = factor_.residual(matrix, child, parents);
    residual.rest = kept(residual.rest, matrix(child, child));
    return formulas_[of_child_[child]](parents.size(), residual);
  }

  AllFamilies* all_families() override { return this; }

  void families(std::size_t child, std::span<double> scores) override {
    const SymmetricMatrix& matrix = matrices_[of_child_[child]];
    const Formula& formula = formulas_[of_child_[child]];
    AllResiduals(matrix, child, Formula::least_share)
        .for_each([&](std::size_t rank, std::size_t count, const Residual& residual) {
          if (rank % 16 == 0) pulse::beat();
          scores[rank] = formula(count, {kept(residual.rest, matrix(child, child)), residual.log_determinant});
        });
  }

  double families_with_bounds(std::size_t child, std::span<double> scores, std::span<double> bounds) override {
    const std::size_t part = of_child_[child];
    const SymmetricMatrix& matrix = matrices_[part];
    const Kept& least = kept_given_all(part);
    if (least.singular) return std::numeric_limits<double>::quiet_NaN();
    std::vector<std::pair<std::size_t, double>> others;
    for (const std::size_t x : least.by_size)
      if (x != child) others.emplace_back(x < child ? x : x - 1, std::log(least.of_node[x]));
    double smallest_share = 1;
    for (std::size_t x = 0; x < size(); ++x) smallest_share = std::min(smallest_share, least.of_node[x] / matrix(x, x));
    AllResiduals(matrix, child, Formula::least_share)
        .for_each([&](std::size_t rank, std::size_t count, const Residual& residual) {
          pulse::beat();
          scores[rank] = formulas_[part](count, residual);
          Residual best{least.of_node[child], residual.log_determinant};
          double bound = minus_infinity;
          for (const auto& [other, log_kept] : others) {
            if ((rank >> other & 1) != 0) continue;
            best.log_determinant += log_kept;
            bound = std::max(bound, formulas_[part](++count, best));
          }
          bounds[rank] = bound;
        });
    // Rounding of a variance, as a share of what is left of it, for each row.
    constexpr double rounding = 1e-14;
    const auto n = static_cast<double>(size());
    return rounding * n * (1 + formulas_[part].observations()) / smallest_share;
  }

  void additions(std::size_t child, Nodes parents, std::span<double> scores) override {
    const SymmetricMatrix& matrix = matrices_[of_child_[child]];
    const Formula& formula = formulas_[of_child_[child]];
    pulse::beat(size() * (1 + parents.size() * parents.size()));
    sweep_.start(matrix, child, parents);
    std::size_t next = 0;
    for (std::size_t x = 0; x < size(); ++x) {
      if (next < parents.size() && parents[next] == x) {
        ++next;
      } else if (x != child) {
        scores[x] = formula(parents.size() + 1, with(x, child, matrix));
      }
    }
  }

 private:
  Residual with(std::size_t x, std::size_t child, const SymmetricMatrix& matrix) const {
    const double own = sweep_.variance(x);
    const double rest = sweep_.variance(child);
    if (!(own > Formula::least_share * matrix(x, x)))
      return {kept(rest, matrix(child, child)), sweep_.log_determinant()};
    const double left = kept(rest - sweep_.shared(x) * sweep_.shared(x) / own, matrix(child, child));
    if constexpr (Formula::needs_determinant) return {left, sweep_.log_determinant() + std::log(own)};
    return {left, 0.0};
  }

  // What each node keeps given all others, and the nodes from the least of it on.
  struct Kept {
    std::vector<double> of_node;
    std::vector<std::size_t> by_size;
    // Some node is a function of others, which scores pass over as parents.
    bool singular = false;
  };

  const Kept& kept_given_all(std::size_t part) {
    least_.resize(matrices_.size());
    if (!least_[part].of_node.empty()) return least_[part];
    Kept least;
    const SymmetricMatrix& matrix = matrices_[part];
    for (std::size_t x = 0; x < size(); ++x) {
      std::vector<std::size_t> others;
      for (std::size_t y = 0; y < size(); ++y)
        if (y != x) others.push_back(y);
      pulse::beat(size() * size() * size() / 6);
      const double rest = factor_.residual(matrix, x, others).rest;
      least.singular |= !(rest > 2 * Formula::least_share * matrix(x, x));
      // The rounding of a nearly singular matrix must not make the bound too low.
      least.of_node.push_back(rest * (1 - rounding_share));
      least.by_size.push_back(x);
    }
    std::ranges::sort(least.by_size, {}, [&](std::size_t x) { return least.of_node[x]; });
    return least_[part] = std::move(least);
  }

  static constexpr double rounding_share = 1e-6;

  static double kept(double rest, double variance) {
    return variance > 0 ? std::max(rest, Formula::least_share * variance) : 1.0;
  }

  std::shared_ptr<const Matrices> shared_;  // those of all twins
  const Matrices& matrices_;
  std::vector<Formula> formulas_;
  std::vector<std::size_t> of_child_;
  Sweep sweep_{Formula::least_share};
  Factor factor_{Formula::least_share};
  std::vector<Kept> least_;
};

// Takes the scatter out of the moments. A column whose deviations are rounding errors of its mean has none.
SymmetricMatrix scatter_of(Moments& moments) {
  SymmetricMatrix result = std::move(moments.scatter);
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  for (std::size_t j = 0; j < result.size(); ++j) {
    const double rounding = epsilon * moments.means[j];
    if (result(j, j) > static_cast<double>(moments.rows) * rounding * rounding) continue;
    for (std::size_t i = 0; i < result.size(); ++i) result.set(i, j, 0.0);
  }
  return result;
}

}  // namespace

std::unique_ptr<Score> gaussian_score(ChildMoments moments, PenalisedLikelihood kind) {
  std::vector<SymmetricMatrix> matrices;
  std::vector<Likelihood> formulas;
  for (Moments& m : moments.distinct) {
    matrices.push_back(scatter_of(m));
    formulas.emplace_back(m, kind);
  }
  return std::make_unique<GaussianScore<Likelihood>>(std::move(matrices), std::move(formulas),
                                                     std::move(moments.of_child));
}

std::unique_ptr<Score> bge_score(ChildMoments moments, double alpha_mu, double alpha_w) {
  std::vector<SymmetricMatrix> matrices;
  std::vector<Bge> formulas;
  for (const Moments& m : moments.distinct) {
    const std::size_t p = m.means.size();
    const double prior = alpha_mu * (alpha_w - static_cast<double>(p) - 1) / (alpha_mu + 1);
    SymmetricMatrix posterior = m.scatter;
    for (std::size_t j = 0; j < p; ++j) posterior.set(j, j, posterior(j, j) + prior);
    matrices.push_back(std::move(posterior));
    formulas.emplace_back(m, alpha_mu, alpha_w);
  }
  return std::make_unique<GaussianScore<Bge>>(std::move(matrices), std::move(formulas), std::move(moments.of_child));
}

std::unique_ptr<Score> nig_score(ChildMoments moments, const NormalInverseGamma& prior) {
  std::vector<SymmetricMatrix> matrices;
  std::vector<NormalInverseGammaFormula> formulas;
  for (const Moments& m : moments.distinct) {
    const auto rows = static_cast<double>(m.rows);
    SymmetricMatrix products = m.scatter;
    for (std::size_t i = 0; i < products.size(); ++i)
      for (std::size_t j = i; j < products.size(); ++j)
        products.set(i, j, products(i, j) + rows * m.means[i] * m.means[j] + (i == j ? prior.precision : 0.0));
    matrices.push_back(std::move(products));
    formulas.emplace_back(m, prior);
  }
  return std::make_unique<GaussianScore<NormalInverseGammaFormula>>(std::move(matrices), std::move(formulas),
                                                                    std::move(moments.of_child));
}

std::unique_ptr<Score> fractional_score(ChildMoments moments) {
  std::vector<SymmetricMatrix> matrices;
  std::vector<Fractional> formulas;
  for (Moments& m : moments.distinct) {
    matrices.push_back(scatter_of(m));
    formulas.emplace_back(m);
  }
  return std::make_unique<GaussianScore<Fractional>>(std::move(matrices), std::move(formulas),
                                                     std::move(moments.of_child));
}

}  // namespace dagathlon
