// Markov chains over ordered partitions of the nodes (Kuipers and Moffa 2017).
//
// Each DAG belongs to one partition: its first part has the nodes without parents, and a node of any
// other part has a parent in the part right before its own and none in its own part or later. So the
// weight of a partition is the sum over its DAGs alone, and no DAG is counted twice.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/mcmc/order_leap.hpp"
#include "dagathlon/mcmc/parent_table.hpp"

namespace dagathlon {

using Partition = std::vector<std::vector<std::size_t>>;

// The partition of a DAG (row j: the parents of j).
Partition partition_of(const BitMatrix& parents);

class PartitionState {
 public:
  PartitionState(const ParentTables& tables, Partition partition);

  const Partition& partition() const { return parts_; }
  std::size_t size() const { return terms_.size(); }
  double value() const;
  // A DAG of the partition, drawn by weight.
  ScoredDag draw(Stream& random);
  // Adds the probability of each edge among the DAGs of the partition to a matrix, from row to column.
  void add_edges(double* matrix);

  // Moves for logarithmic weights of partitions times a factor.

  // Proposes to exchange two nodes of neighbouring parts, or of any two parts.
  void swap(bool neighbouring, double coldness, Stream& random);
  // Proposes to divide a part, or to unite two neighbouring ones.
  void split(double coldness, Stream& random);
  void merge(double coldness, Stream& random);
  // Takes a node out and puts it into a part, or into one of its own, by weight.
  void relocate(std::size_t node, double coldness, Stream& random);
  // Draws a DAG, proposes to turn edges of it one after the other, and goes to the partition of the
  // result.
  void reverse_edges(std::size_t turns, double coldness, Stream& random);
  // The same with a DAG that has nothing to do with the one before.
  void leap(OrderLeap& leap, double coldness, Stream& random);

 private:
  // What a node adds to the value if it is in a part.
  double term(std::size_t node, std::size_t part);
  void allow(std::size_t node, std::size_t part);
  void set_terms(std::size_t first, std::size_t last);
  // A proposal whose terms differ in parts first to last; `bias` is the logarithm of the ratio of
  // proposal probabilities.
  struct Proposal {
    Partition parts;
    std::size_t first = 0;
    std::size_t last = 0;
    double bias = 0;
  };
  // Goes to the partition of a DAG to which a move led that keeps the posterior of DAGs as it is.
  void follow(const BitMatrix& dag, double coldness, Stream& random);
  // Takes a proposal, or goes back.
  void decide(Proposal proposal, double coldness, Stream& random);
  // Sums over the nodes of a part, for the four ways in which an outside node can stand to it.
  struct PartTerms {
    double behind = 0;
    double in_part_before = 0;
    double right_before = 0;
    double far_before = 0;
  };
  PartTerms terms_around(std::size_t part, std::size_t node);
  std::vector<double> values_of_places(std::size_t node);

  const ParentTables* tables_;
  Partition parts_;
  std::vector<double> terms_;
  AllowedParents all_;
  AllowedParents beyond_;
};

// Samples DAGs without the bias of orders. The tables are of sums; the start is a DAG in them.
// `turns` is the number of edges that a step of that kind proposes to turn; leaps are
// made where they are worthwhile.
struct PartitionOptions {
  Coldness coldness{1.0};
  std::size_t turns = 1;
  bool leaps = false;
};
ChainLog partition_chain(const ParentTables& tables, const BitMatrix& start, const PartitionOptions& options,
                         ChainLength length, Stream random);

}  // namespace dagathlon
