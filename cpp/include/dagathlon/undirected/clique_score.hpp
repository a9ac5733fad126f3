// Marginal likelihoods of sets of columns, of which the posterior of a decomposable graph is made.
//
// Under a strong hyper Markov prior the data have probability Π m(C) / Π m(S) over the maximal cliques C
// and the separators S of the graph (Dawid and Lauritzen 1993). A prior over graphs of the same form
// (Byrne and Dawid 2015) is part of the same product.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/chordal.hpp"
#include "dagathlon/data/counting.hpp"
#include "dagathlon/data/covariance.hpp"
#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/linalg/square_matrix.hpp"

namespace dagathlon {

// One thread at a time may ask: values are kept, and counting has buffers.
class CliqueScore {
 public:
  CliqueScore() = default;
  CliqueScore(const CliqueScore&) = delete;
  CliqueScore& operator=(const CliqueScore&) = delete;
  virtual ~CliqueScore() = default;

  virtual std::size_t size() const = 0;
  // The log marginal likelihood of some columns, in increasing order; 0 for none.
  double log_marginal(Nodes nodes) const;

 protected:
  virtual double compute(Nodes nodes) const = 0;

 private:
  static constexpr std::size_t max_entries = std::size_t{1} << 22;
  mutable std::u32string key_;
  mutable std::unordered_map<std::u32string, double> known_;
};

// What is known of continuous columns: sums of products, and the number of rows they stand for.
struct GaussianSums {
  SymmetricMatrix scatter;
  double rows;
  // Log of a factor of the likelihood for each column: of a mean that was integrated out.
  double log_column = 0;
};

// Normal columns with mean zero, whose covariance matrix is hyper inverse Wishart: that of a clique of c
// columns has density proportional to |Σ|^-(δ/2+c) exp(-tr(D Σ^-1)/2) with a diagonal D (Dawid and
// Lauritzen 1993); the precision matrix is then G-Wishart with the same δ and D.
class GaussianCliques final : public CliqueScore {
 public:
  GaussianCliques(GaussianSums sums, double delta, std::vector<double> scale);

  std::size_t size() const override { return scale_.size(); }
  // The posterior mean of the precision matrix, given a decomposable graph.
  SquareMatrix precision(const CliqueTree& tree) const;

 private:
  double compute(Nodes nodes) const override;
  // What does not depend on the values, for each number of columns.
  double constant(std::size_t columns) const;

  GaussianSums sums_;
  double delta_;
  std::vector<double> scale_;
  std::vector<double> constants_;
  mutable std::vector<double> factor_;
};

// Discrete columns whose probabilities are hyper Dirichlet: so many imaginary observations, spread evenly
// over the cells of any table.
class DiscreteCliques final : public CliqueScore {
 public:
  DiscreteCliques(std::unique_ptr<const DiscreteData> data, double pseudo_observations);

  std::size_t size() const override { return data_->size(); }

 private:
  double compute(Nodes nodes) const override;

  std::unique_ptr<const DiscreteData> data_;
  double pseudo_observations_;
  mutable Counter counter_;
};

// A prior over decomposable graphs, up to a constant.
struct DecomposablePrior {
  // Log odds of each edge; minus a penalty of each.
  double edge_log_odds = 0;
  // The largest number of nodes of a clique.
  std::size_t max_clique = no_node;
  // Log weights of cliques, and of separators by which is divided, of 1, 2, … nodes; the last one is that of
  // all larger ones as well.
  std::vector<double> clique_weights;
  std::vector<double> separator_weights;

  double of_clique(std::size_t nodes) const { return edges(nodes) + weight(clique_weights, nodes); }
  double of_separator(std::size_t nodes) const { return edges(nodes) + weight(separator_weights, nodes); }

 private:
  double edges(std::size_t nodes) const {
    const auto c = static_cast<double>(nodes);
    return edge_log_odds * c * (c - 1) / 2;
  }
  static double weight(const std::vector<double>& weights, std::size_t nodes) {
    if (weights.empty() || nodes == 0) return 0;
    return nodes <= weights.size() ? weights[nodes - 1] : weights.back();
  }
};

// The posterior over decomposable graphs, up to a constant: likelihood and prior in one.
class DecomposableTarget {
 public:
  DecomposableTarget(std::shared_ptr<const CliqueScore> score, DecomposablePrior prior)
      : score_(std::move(score)), prior_(std::move(prior)) {}

  std::size_t size() const { return score_->size(); }
  const CliqueScore& score() const { return *score_; }
  const DecomposablePrior& prior() const { return prior_; }
  // The log weight of a maximal clique, and that of a separator, which is subtracted; nodes in increasing order.
  double clique(Nodes nodes) const {
    if (nodes.size() > prior_.max_clique) return -std::numeric_limits<double>::infinity();
    return score_->log_marginal(nodes) + prior_.of_clique(nodes.size());
  }
  double separator(Nodes nodes) const { return score_->log_marginal(nodes) + prior_.of_separator(nodes.size()); }
  // The log posterior of a graph given by its junction tree.
  double of(const CliqueTree& tree) const;

 private:
  std::shared_ptr<const CliqueScore> score_;
  DecomposablePrior prior_;
};

}  // namespace dagathlon
