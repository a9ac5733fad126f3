#include "dagathlon/undirected/lasso_refit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/graph/nodes.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr double least_refit_variance = 1e-10;

std::vector<double> products_of(std::span<const double> given, std::size_t p, const NodeVector& nodes) {
  const std::size_t n = nodes.size();
  std::vector<double> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) matrix[i * n + j] = given[nodes[i] * p + nodes[j]];
  return matrix;
}

// The least squares weights of the nodes, from which combinations of others are taken out.
std::vector<double> least_squares(const RefitMoments& moments, NodeVector& nodes, std::size_t target) {
  UpperFactor factor;
  for (;;) {
    pulse::beat(nodes.size() * nodes.size() * nodes.size() / 3);
    const std::size_t rank = factor.factor(products_of(moments.given, moments.size, nodes), nodes.size());
    if (rank == nodes.size()) break;
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(rank));
  }
  std::vector<double> weights;
  for (const std::size_t node : nodes) weights.push_back(moments.given[target * moments.size + node]);
  factor.solve(weights);
  return weights;
}

double likelihood(const RefitMoments& moments, NodeVector nodes, std::size_t target) {
  if (nodes.size() + 1 >= moments.rows) return -std::numeric_limits<double>::infinity();
  const std::size_t p = moments.size;
  const auto weights = least_squares(moments, nodes, target);
  double variance = 1.0, square = moments.seen[target * p + target];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    variance -= weights[i] * moments.given[target * p + nodes[i]];
    double product = -2.0 * moments.seen[target * p + nodes[i]];
    for (std::size_t j = 0; j < nodes.size(); ++j) product += weights[j] * moments.seen[nodes[i] * p + nodes[j]];
    square += weights[i] * product;
  }
  variance = std::max(variance, least_refit_variance);
  return -(std::log(variance) + square / variance) / 2.0;
}

}  // namespace

std::vector<double> refit_likelihoods(const RefitMoments& moments, std::span<const bool> graphs) {
  const std::size_t p = moments.size, count = p == 0 ? 0 : graphs.size() / (p * p);
  std::vector<double> result(count, 0.0);
  for (std::size_t j = 0; j < p; ++j) {
    pulse::progress(j, p);
    NodeVector before{p};
    double value = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      NodeVector nodes;
      for (std::size_t g = 0; g < p; ++g)
        if (g != j && graphs[(k * p + j) * p + g]) nodes.push_back(g);
      if (nodes != before) value = likelihood(moments, nodes, j);
      result[k] += value;
      before = std::move(nodes);
    }
  }
  return result;
}

}  // namespace dagathlon
