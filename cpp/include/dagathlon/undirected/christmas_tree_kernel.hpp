// Proposals of the Christmas tree algorithm: to which subtree of a junction tree, and to which part of
// each of its cliques, a new node is joined.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/undirected/christmas_tree.hpp"
#include "dagathlon/undirected/clique_score.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

class SubtreeKernel {
 public:
  SubtreeKernel() = default;
  SubtreeKernel(const SubtreeKernel&) = delete;
  SubtreeKernel& operator=(const SubtreeKernel&) = delete;
  virtual ~SubtreeKernel() = default;

  // Draws the subtree and the parts; nothing is said of neighbours that go over.
  virtual void draw(const GrowingTree& tree, std::size_t node, Extension& extension, Stream& random) const = 0;
  // The logarithm of the probability of such a draw.
  virtual double log_density(const GrowingTree& tree, std::size_t node, const Extension& extension) const = 0;
};

// The proposal of the paper, which knows nothing of the data. A node has neighbours with probability
// `beta`; the subtree starts at any clique and goes on over each edge with probability `alpha`; parts are
// equally likely.
class BlindKernel final : public SubtreeKernel {
 public:
  BlindKernel(double alpha, double beta) : alpha_(alpha), beta_(beta) {}

  void draw(const GrowingTree& tree, std::size_t node, Extension& extension, Stream& random) const override;
  double log_density(const GrowingTree& tree, std::size_t node, const Extension& extension) const override;

 private:
  double alpha_;
  double beta_;
};

// The same steps with probabilities that the data suggest: where the subtree starts by the strongest
// dependence on the node, whether it goes on over an edge by the strongest one given the separator, and
// what is left out of a clique by dependence given all that is still in.
class InformedKernel final : public SubtreeKernel {
 public:
  explicit InformedKernel(const DecomposableTarget& target);

  void draw(const GrowingTree& tree, std::size_t node, Extension& extension, Stream& random) const override;
  double log_density(const GrowingTree& tree, std::size_t node, const Extension& extension) const override;

 private:
  // The probability that the subtree starts at each clique; last that the node has no neighbours.
  void starts(const GrowingTree& tree, std::size_t node) const;
  // The probability that a subtree with one clique goes on to the other.
  double goes_on(const GrowingTree& tree, std::size_t node, std::size_t from, std::size_t to) const;
  // The probability that a member of a set, without the node, stays in it.
  double stays(ConstRow members, std::size_t node, std::size_t member) const;
  double log_start(const GrowingTree& tree, std::size_t node, const Extension& extension) const;
  double weight(ConstRow members) const;

  const DecomposableTarget* target_;
  std::size_t n_;
  // The gain of an edge between two nodes alone.
  std::vector<double> pairs_;
  mutable std::vector<double> starts_;
  mutable std::vector<std::size_t> list_;
};

// The logarithm of the probability that a tree becomes what the extension makes of it; not for nodes
// without neighbours, of which only the kernel's part is.
double log_forward(const SubtreeKernel& kernel, const GrowingTree& tree, std::size_t node, const Extension& extension);

// Of the clique at a place of the subtree: what its neighbours there share with it, which the part has to
// hold, the others, and whether the part needs one of them to be no subset of a neighbour's.
struct FreePart {
  FreePart(const GrowingTree& tree, const Extension& extension, std::size_t place);

  BitSet shared;
  BitSet free;
  bool needed;
};

}  // namespace dagathlon
