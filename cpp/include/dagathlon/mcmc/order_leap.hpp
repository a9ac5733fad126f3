// A move of chains over DAGs that forgets where it was: the next DAG is drawn by way of all orders.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/linear_extensions.hpp"
#include "dagathlon/mcmc/parent_table.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// Sums over the orders of every set of nodes (2^n of them) let an order be drawn by its weight, and from
// it a DAG: independent of the last one, by weight times the number of its orders. That number is what
// the move decides by, so that it keeps the posterior of DAGs.
class OrderLeap {
 public:
  // Sets of nodes are the indices of a table.
  static constexpr std::size_t max_nodes = 20;
  // Whether the table costs little beside a chain of so many steps.
  static bool worthwhile(std::size_t nodes, std::size_t steps);

  // The tables, which are of sums, must live as long as this.
  explicit OrderLeap(const ParentTables& tables);

  // Proposes another DAG (row j: the parents of j) and takes it or not; whether it did.
  bool decide(BitMatrix& dag, Stream& random);

 private:
  // The logarithm of the weight of an order of `before` and then the node, summed over those orders.
  double weight_of_last(std::size_t node, std::size_t before);
  void allow(std::size_t node, std::size_t before);
  BitMatrix draw(Stream& random);

  const ParentTables& tables_;
  std::vector<double> sums_;
  AllowedParents allowed_;
  LinearExtensions orders_;
};

}  // namespace dagathlon
