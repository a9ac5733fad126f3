#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/undirected/clique_score.hpp"

#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// The log of the multivariate gamma function, without the powers of π, which cancel.
double log_multivariate_gamma(double x, std::size_t dimension) {
  double sum = 0;
  for (std::size_t k = 0; k < dimension; ++k) sum += log_gamma(x - static_cast<double>(k) / 2);
  return sum;
}

// The log determinant of a matrix, which its lower Cholesky factor replaces.
double log_determinant(std::vector<double>& matrix, std::size_t c) {
  cholesky::factorise(matrix, c, cholesky::AnyPivot{});
  double sum = 0;
  for (std::size_t i = 0; i < c; ++i) sum += 2 * std::log(matrix[i * c + i]);
  return sum;
}

}  // namespace

double CliqueScore::log_marginal(Nodes nodes) const {
  if (nodes.empty()) return 0;
  key_.clear();
  for (const std::size_t s : nodes) key_.push_back(static_cast<char32_t>(s));
  if (const auto found = known_.find(key_); found != known_.end()) return found->second;
  const double value = compute(nodes);
  if (known_.size() >= max_entries) known_.clear();
  known_.emplace(key_, value);
  return value;
}

GaussianCliques::GaussianCliques(GaussianSums sums, double delta, std::vector<double> scale)
    : sums_(std::move(sums)), delta_(delta), scale_(std::move(scale)) {
  constexpr std::size_t tabled = 64;
  for (std::size_t c = 0; c <= std::min(size(), tabled); ++c) constants_.push_back(constant(c));
}

double GaussianCliques::constant(std::size_t columns) const {
  const auto c = static_cast<double>(columns);
  const double prior = (delta_ + c - 1) / 2, posterior = prior + sums_.rows / 2;
  return c * sums_.log_column - sums_.rows * c / 2 * std::log(std::numbers::pi) -
         log_multivariate_gamma(prior, columns) + log_multivariate_gamma(posterior, columns);
}

double GaussianCliques::compute(Nodes nodes) const {
  const std::size_t c = nodes.size();
  pulse::beat(c * c * c);
  factor_.resize(c * c);
  double log_scale = 0;
  for (std::size_t i = 0; i < c; ++i) {
    for (std::size_t j = 0; j <= i; ++j) factor_[i * c + j] = sums_.scatter(nodes[i], nodes[j]);
    factor_[i * c + i] += scale_[nodes[i]];
    log_scale += std::log(scale_[nodes[i]]);
  }
  const double prior = (delta_ + static_cast<double>(c) - 1) / 2;
  const double fixed = c < constants_.size() ? constants_[c] : constant(c);
  return fixed + prior * log_scale - (prior + sums_.rows / 2) * log_determinant(factor_, c);
}

SquareMatrix GaussianCliques::precision(const CliqueTree& tree) const {
  SquareMatrix result(size());
  const auto add = [&](const NodeSequence& nodes, double sign) {
    const std::size_t c = nodes.size();
    if (c == 0) return;
    SquareMatrix block(c);
    for (std::size_t i = 0; i < c; ++i) {
      for (std::size_t j = 0; j < c; ++j) block(i, j) = sums_.scatter(nodes[i], nodes[j]);
      block(i, i) += scale_[nodes[i]];
    }
    const auto inverted = inverse(block);
    if (!inverted) return;
    const double weight = sign * (delta_ + sums_.rows + static_cast<double>(c) - 1);
    for (std::size_t i = 0; i < c; ++i)
      for (std::size_t j = 0; j < c; ++j)
        result(nodes[i], nodes[j]) += weight * (inverted->matrix(i, j) + inverted->matrix(j, i)) / 2;
  };
  for (const NodeSequence& clique : tree.cliques) add(clique, 1);
  for (const NodeSequence& separator : tree.separators) add(separator, -1);
  return result;
}

DiscreteCliques::DiscreteCliques(std::unique_ptr<const DiscreteData> data, double pseudo_observations)
    : data_(std::move(data)), pseudo_observations_(pseudo_observations), counter_(*data_) {}

double DiscreteCliques::compute(Nodes nodes) const {
  pulse::beat(data_->observations());
  double cells = 1;
  for (const std::size_t s : nodes) cells *= static_cast<double>(data_->arity(s));
  const double in_cell = pseudo_observations_ / cells, of_cell = log_gamma(in_cell);
  const auto rows = static_cast<double>(data_->observations());
  double sum = log_gamma(pseudo_observations_) - log_gamma(pseudo_observations_ + rows);
  counter_.families(nodes.back(), nodes.first(nodes.size() - 1), [&](std::span<const Tally> counts, Tally) {
    for (const Tally count : counts)
      if (count > 0) sum += log_gamma(in_cell + count) - of_cell;
  });
  return sum;
}

double DecomposableTarget::of(const CliqueTree& tree) const {
  double sum = 0;
  for (std::size_t k = 0; k < tree.cliques.size(); ++k) {
    NodeSequence clique_nodes = tree.cliques[k], shared = tree.separators[k];
    std::ranges::sort(clique_nodes);
    std::ranges::sort(shared);
    sum += clique(clique_nodes) - separator(shared);
  }
  return sum;
}

}  // namespace dagathlon
