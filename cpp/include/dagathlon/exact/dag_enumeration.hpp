// All DAGs of few nodes, one after another: for weights that are no product over nodes, and for what
// is asked of whole graphs, such as their equivalence classes. Nothing is kept of a DAG that is past.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/exact/dag_posterior.hpp"

namespace dagathlon {

// The log weight of a DAG is Σ_j terms_j(P_j) - shape · log(rate + Σ_j rests_j(P_j)): a product over
// nodes where the shape is 0, and what is left of linear models whose nodes share one noise variance.
struct EnumeratedWeights {
  std::size_t nodes;
  // For each node in turn, by rank of its parent set; a term of minus infinity leaves the DAG out.
  std::vector<double> terms;
  std::vector<double> rests;
  double shape;
  double rate;
};

class DagEnumeration {
 public:
  // 3,781,503 DAGs; of seven nodes there are 1.1·10⁹.
  static constexpr std::size_t max_nodes = 6;

  explicit DagEnumeration(EnumeratedWeights weights);

  std::size_t size() const { return weights_.nodes; }
  // As those of `DagPosterior`.
  double log_partition() const;
  std::vector<double> edges() const;
  std::vector<double> paths() const;
  std::vector<double> families(std::size_t child) const;
  double mean_log_weight() const { return largest_ + mean_; }
  const std::vector<Mask>& best() const { return best_; }

  // Independent draws as parent sets, one row of `size()` for each.
  std::vector<Mask> sample(std::size_t count, std::uint64_t seed) const;

  // Graphs as bits from row to column without the diagonal, row after row.
  struct Graphs {
    std::vector<std::uint64_t> arcs;
    std::vector<double> log_weights;
  };
  // All DAGs of a positive weight.
  Graphs dags() const;
  // The classes of equivalent DAGs as CPDAGs, whose undirected edges are arcs both ways; the heaviest first.
  Graphs classes() const;

 private:
  void find_best();
  void sum_up();

  EnumeratedWeights weights_;
  double largest_;
  std::vector<Mask> best_;
  // The sum of all weights over the largest, and the mean of their logarithms.
  double total_ = 0;
  double mean_ = 0;
  // Weights by family, and by node and set of descendants.
  std::vector<double> shares_;
  std::vector<double> descendants_;
};

}  // namespace dagathlon
