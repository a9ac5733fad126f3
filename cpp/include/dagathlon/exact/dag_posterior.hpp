// The exact posterior over all DAGs of few nodes, by sums over sets of nodes.
//
// A weight w(G) is a product over nodes of a weight of the node and its parents. With
// A_j(U) = Σ_{P⊆U} w_j(P), the sum over the DAGs on S is (posterior "structure")
//
//   Z(S) = Σ_{∅≠T⊆S} (-1)^{|T|+1} Z(S\T) Π_{j∈T} A_j(S\T),
//
// and over pairs of a DAG and one of its orders (posterior "order") the same with |T| = 1. All
// marginals come from its derivatives, since Z is linear in each weight. Numbers are kept as a
// mantissa and a power of 2, the power being that of the best DAG on each set: nothing underflows
// that could matter, and no logarithm is taken in the loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// Sets of at most 32 nodes as bits.
using Mask = std::uint32_t;

// The rank of a set without `node` among all sets without it, and the set of that rank.
constexpr Mask squeeze(Mask set, std::size_t node) {
  const Mask low = set & ((Mask{1} << node) - 1);
  return low | ((set >> 1) & ~((Mask{1} << node) - 1));
}
constexpr Mask stretch(Mask rank, std::size_t node) {
  const Mask low = rank & ((Mask{1} << node) - 1);
  return low | ((rank & ~((Mask{1} << node) - 1)) << 1);
}

enum class Modularity { structure, order };

class DagPosterior {
 public:
  static constexpr std::size_t max_nodes = 24;

  // `log_weights` has for each node in turn the logarithms of w_j(P), by rank of P.
  DagPosterior(std::size_t nodes, std::vector<double> log_weights, Modularity modularity);

  std::size_t size() const { return n_; }
  const std::vector<double>& log_weights() const { return log_weights_; }
  // The logarithm of the sum of all weights; minus infinity if there is no DAG at all.
  double log_partition() const;
  // Probability of each edge, row-major, from row to column.
  std::vector<double> edges() const;
  // Probability that directed edges lead from row to column, row-major; of the posterior "structure".
  std::vector<double> paths() const;
  // Probability of each parent set of a node, by rank.
  std::vector<double> families(std::size_t child) const;
  // The mean of log w(G).
  double mean_log_weight() const;
  // The DAG of largest weight, as parent sets.
  std::vector<Mask> best() const;
  // An independent draw, as parent sets.
  std::vector<Mask> sample(Stream& stream) const;

 private:
  std::size_t place(std::size_t node, Mask set) const { return node * half_ + squeeze(set, node); }
  Mask everything() const { return static_cast<Mask>((std::size_t{1} << n_) - 1); }

  void scale_weights();
  void sum_subsets();
  void best_powers();
  void forward();
  void backward();
  // For the sets T of nodes outside `from`, by rank among them: the sign, the mantissa and the power of
  // the factor of Z(from) in Z(from ∪ T), times `start`; and where it goes.
  struct Steps {
    std::vector<std::size_t> outside;
    std::vector<double> factor;
    std::vector<std::int32_t> power;
    std::vector<Mask> reached;
  };
  void steps_from(Mask from, double start, Steps& steps) const;
  void ordinary_steps_from(Mask from, double start, Steps& steps) const;
  double reach(Mask from, Steps& steps) const;
  double ordinary_reach(Mask from, Steps& steps) const;
  void rescale();
  void inner_steps_from(Mask from, Mask outer, Steps& steps) const;
  void share_out(Mask from, Steps& steps);
  void backward_orders();

  std::vector<double> next_layers(Mask placed) const;
  std::vector<Mask> sample_layers(Stream& stream) const;
  std::vector<Mask> sample_order(Stream& stream) const;
  Mask sample_parents(std::size_t node, Mask from, Mask required_one_of, Stream& stream) const;
  double weight(std::size_t node, Mask parents, std::int32_t power) const;

  std::size_t n_;
  std::size_t half_;
  Modularity modularity_;
  // Whether no sum of weights is too small for a double.
  bool ordinary_ = false;
  std::vector<double> log_weights_;
  // The largest log weight of each node, taken out of all of them.
  std::vector<double> largest_;
  // A_j(U): mantissa in [1, 2^(|U|+1)) or 0, and power.
  std::vector<double> sums_;
  std::vector<std::int32_t> powers_;
  // Z(S) over 2^best_[S], and the derivative of the whole by it.
  std::vector<double> partition_;
  std::vector<double> adjoint_;
  std::vector<std::int32_t> best_;
  // The derivative of log Z by the mantissa of A_j(U).
  std::vector<double> gradient_;
  // Weights of all first layers.
  std::vector<double> first_layers_;
};

}  // namespace dagathlon
