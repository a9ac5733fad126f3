#include "dagathlon/undirected/gaussian_graph.hpp"

#include <cmath>
#include <numbers>

#include "dagathlon/stats/gamma_draw.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Sweeps before a chain begins.
constexpr std::size_t first_sweeps = 10;

}  // namespace

GaussianGraph::GaussianGraph(const BitMatrix& start, const GaussianGraphPrior& prior, std::span<const double> scatter,
                             double rows, Stream& random)
    : prior_(prior),
      adjacent_(start.size()),
      common_(start.size() * start.size()),
      ratio_(start.size(), prior.b, prior.scale) {
  const std::size_t n = start.size();
  const double log_odds = std::log(prior.edge_probability) - std::log1p(-prior.edge_probability);
  for (std::size_t common = 0; common < n; ++common) {
    log_bases_.push_back(log_odds - ratio_.log_ratio(common));
    bases_.push_back(std::exp(log_bases_.back()));
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      if (start.test(i, j)) toggle(i, j);
  replace(scatter, rows);
  state_ = {SquareMatrix(n), SquareMatrix(n)};
  for (std::size_t i = 0; i < n; ++i) {
    state_.precision(i, i) = b() / scale_(i, i);
    state_.covariance(i, i) = scale_(i, i) / b();
  }
  // A deadline leaves any matrix of the graph.
  pulse::until_deadline([&] {
    for (std::size_t k = 0; k < first_sweeps; ++k) refresh(random);
  });
}

void GaussianGraph::replace(std::span<const double> scatter, double rows) {
  rows_ = rows;
  scale_ = SquareMatrix(scatter, size());
  for (std::size_t i = 0; i < size(); ++i) scale_(i, i) += prior_.scale;
}

void GaussianGraph::refresh(Stream& random) { gibbs_.sweep(adjacent_, b(), scale_, random, state_); }

double GaussianGraph::log_odds(std::size_t i, std::size_t j) const {
  const SquareMatrix& covariance = state_.covariance;
  const PairEntries entries{state_.precision(i, j), covariance(i, j), covariance(i, i),
                            covariance(j, j),       scale_(i, j),     scale_(j, j)};
  return log_bases_[common_[i * size() + j]] + log_pair_integral(entries);
}

// As above, without logarithms.
void GaussianGraph::odds_of_row(std::size_t i, std::span<double> odds) const {
  const std::size_t n = size();
  const double* covariance = state_.covariance.row(i);
  const double* precision = state_.precision.row(i);
  const double* scale = scale_.row(i);
  for (std::size_t j = i + 1; j < n; ++j) {
    const double second = state_.covariance(j, j), scale_own = scale_(j, j);
    const double ratio = covariance[j] / second;
    const double own = covariance[i] - covariance[j] * ratio;
    const double width = scale_own * own;
    const double slope = scale[j] - scale_own * (ratio + own * precision[j]);
    odds[j] =
        bases_[common_[i * n + j]] * std::sqrt(2 * std::numbers::pi / width) * std::exp(0.5 * slope * slope / width);
  }
}

void GaussianGraph::toggle(std::size_t i, std::size_t j) {
  const std::size_t n = size();
  const bool born = !adjacent_.test(i, j);
  const auto count = [&](std::size_t end, std::size_t other) {
    for_each(adjacent_[end], [&](std::size_t node) {
      if (node == other) return;
      for (const std::size_t cell : {node * n + other, other * n + node}) common_[cell] += born ? 1U : ~0U;
    });
  };
  count(i, j);
  count(j, i);
  for (const auto& [a, c] : {std::pair{i, j}, std::pair{j, i}}) {
    if (born) adjacent_.set(a, c);
    else adjacent_.reset(a, c);
  }
}

bool GaussianGraph::change(std::size_t i, std::size_t j, Stream& random) {
  toggle(i, j);
  if (prior_.exchange && !ratio_.keeps(adjacent_, i, j, random)) {
    toggle(i, j);
    return false;
  }
  draw_pair(i, j, random);
  return true;
}

// With A the precision matrix of the nodes but j and u the entries of j in it, the entry of i in u is normal and
// what k_jj has beyond uᵀ·A⁻¹·u is gamma.
void GaussianGraph::draw_pair(std::size_t i, std::size_t j, Stream& random) {
  SquareMatrix &precision = state_.precision, &covariance = state_.covariance;
  const std::size_t n = size();
  const double second = covariance(j, j), root = std::sqrt(second);
  old_.assign(covariance.stride(), 0.0);
  fresh_.assign(covariance.stride(), 0.0);
  for (std::size_t k = 0; k < n; ++k) old_[k] = covariance(k, j) / root;
  const double own = covariance(i, i) - old_[i] * old_[i];
  double entry = 0;
  if (adjacent_.test(i, j)) {
    const double rest = -covariance(i, j) / second - own * precision(i, j);
    const double width = scale_(j, j) * own;
    entry = -(scale_(j, j) * rest + scale_(i, j)) / width + random.normal() / std::sqrt(width);
  }
  const double surplus = chi_square(b(), random) / scale_(j, j), step = entry - precision(i, j);
  // A⁻¹·u, up to the sign and the factor of the new column of j.
  double product = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (k == j) continue;
    const double coefficient = -old_[k] / root + step * (covariance(k, i) - old_[k] * old_[i]);
    product += coefficient * (k == i ? entry : precision(k, j));
    fresh_[k] = -coefficient / std::sqrt(surplus);
  }
  fresh_[j] = 1 / std::sqrt(surplus);
  exchange_products(covariance, old_, fresh_);
  precision(i, j) = precision(j, i) = entry;
  precision(j, j) = surplus + product;
}

}  // namespace dagathlon
