// Markov chains over orders of the nodes (Friedman and Koller 2003), inside a search space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/mcmc/parent_table.hpp"

namespace dagathlon {

// Simulated annealing: in the first `share` of each cycle, logarithmic weights are scaled down, ever
// less, so that the chain leaves where it was.
struct Heating {
  std::size_t cycles = 1;
  double share = 0;

  // The factor of logarithmic weights at one of the steps of a chain.
  double coldness(std::size_t step, std::size_t steps) const;
};

// An order with what each node's table says of the nodes before it. The logarithm of its weight is
// the sum of these terms.
class OrderState {
 public:
  OrderState(const ParentTables& tables, std::vector<std::size_t> order);

  const std::vector<std::size_t>& order() const { return order_; }
  double value() const;

  // Moves for logarithmic weights times a factor.
  // Proposes to exchange the nodes at two places, a < b; whether that was done.
  bool swap(std::size_t a, std::size_t b, double coldness, Stream& random);
  // Moves a node to a place drawn by the weights of the orders that differ in its place alone.
  void relocate(std::size_t node, double coldness, Stream& random);
  // A DAG in which parents come before children: drawn by weight, or the best.
  ScoredDag choose(Stream& random) const;
  // Adds the probability of each edge among the DAGs of the order to a matrix, from row to column.
  void add_edges(double* matrix) const;

 private:
  void exchange(std::size_t a, std::size_t b);
  double term(std::size_t node) const { return (*tables_)[node].value(allowed_[node]); }
  void allow_those_before(std::size_t place);
  // Terms of the others with the node behind and before them, and of the node at each place.
  void terms_of_places(std::size_t node);
  void put(std::size_t node, std::size_t place);

  const ParentTables* tables_;
  std::vector<std::size_t> order_;
  std::vector<AllowedParents> allowed_;
  std::vector<double> terms_;
  // Buffers of the moves.
  std::vector<double> kept_;
  std::vector<std::size_t> others_;
  std::vector<double> behind_;
  std::vector<double> before_;
  std::vector<double> own_;
  std::vector<double> values_;
};

struct OrderOptions {
  Summary summary = Summary::sum;
  Heating heating;
  Coldness coldness{1.0};
  // Whether each DAG counts once, rather than once for each of its orders; with tables of sums.
  bool each_dag_once = false;
};

// A DAG has more orders than can be counted.
struct TooManyOrders : std::runtime_error {
  TooManyOrders() : std::runtime_error("a DAG has too many orders to be counted") {}
};

struct OrderChain {
  ChainLog log;
  // The order of highest weight that was visited.
  std::vector<std::size_t> best;
};

// Tables of sums make a sampler of DAGs. Tables of maxima make a search: a saved state is then the
// best DAG of all orders since the state before. The start must have a positive weight. What is
// sampled while there is heat is not from the posterior.
OrderChain order_chain(const ParentTables& tables, std::vector<std::size_t> start, const OrderOptions& options,
                       ChainLength length, Stream random);

}  // namespace dagathlon
