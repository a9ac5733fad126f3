// The choice of parents as an integer program: a variable for each candidate parent set.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "dagathlon/exact/acyclic_cuts.hpp"

namespace dagathlon {

// Entries of several rows or columns of a linear program, one after the other.
struct Entries {
  std::vector<int> starts;
  std::vector<int> places;
  std::vector<double> values;
};

// An arc that a branch of the search demands or forbids.
struct ArcDecision {
  std::size_t parent;
  std::size_t child;
  bool present;
};

// The columns of the program and a pool of cuts, each known by its place there.
class FamilyProgram {
 public:
  explicit FamilyProgram(const ParentSets& sets);

  std::size_t nodes() const { return nodes_; }
  std::size_t size() const { return options_.size(); }
  std::size_t child(std::size_t k) const { return options_[k].child; }
  const std::vector<std::size_t>& parents(std::size_t k) const { return options_[k].parents; }
  // How much less than the node's best set it scores.
  double loss(std::size_t k) const { return options_[k].loss; }

  // Leaves out all columns but these.
  void keep(std::span<const bool> kept);

  // Cuts that a solution violates, at most so many of a kind.
  std::vector<std::size_t> separate(std::span<const double> values, std::size_t most);
  // The same from hulls of the DAGs on groups of this many nodes, which takes longer.
  std::vector<std::size_t> separate_hulls(std::span<const double> values, std::size_t size, std::size_t most);

  // Adds a cut to the pool; its place.
  std::size_t add(Cut cut);

  // A cut is a row: a sum over columns that is at most so much. Each node's columns sum to 1, which is
  // used to have few entries.
  double most(std::size_t cut) const { return cuts_[cut].most; }

  // Rows of cuts; `places` says where each column stands in the linear program, below 0 if it is not there.
  // First there stands one for each node, which counts nothing, so that there always is a solution.
  Entries rows(std::span<const std::size_t> cuts, std::span<const int> places) const;

  // The entries of columns in the rows of nodes and, after them, of these cuts.
  Entries columns(std::span<const int> columns, std::span<const std::size_t> cuts) const;

  // What each column's loss is above what the rows' prices pay for: first nodes, then these cuts.
  std::vector<double> reduced(std::span<const double> prices, std::span<const std::size_t> cuts) const;

  // How much each arc is chosen: entry parent * nodes + child.
  std::vector<double> arcs(std::span<const double> values) const;

  // The columns that the decisions rule out, with what follows from them because there is no cycle.
  std::vector<int> excluded(std::span<const ArcDecision> decisions) const;

 private:
  struct Option {
    std::size_t child;
    std::vector<std::size_t> parents;
    double loss;
  };

  // A cut as it is used: what each of its nodes' sets count less is taken from them and from the limit.
  struct Row {
    Cut cut;
    double most;
    std::vector<double> spared;
  };

  std::vector<Share> shares(std::span<const double> values) const;
  Row row_of(Cut cut) const;

  std::size_t nodes_;
  std::vector<Option> options_;
  // The columns of each node.
  std::vector<std::vector<std::size_t>> of_node_;
  std::vector<Row> cuts_;
  std::map<Cut, std::size_t> places_;
};

}  // namespace dagathlon
