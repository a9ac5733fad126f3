// Sequential Monte Carlo over junction trees that grow by one node at a time (Olsson, Pavlenko and Rios
// 2019): the number of decomposable graphs, and particle Gibbs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dagathlon/undirected/christmas_tree.hpp"
#include "dagathlon/undirected/christmas_tree_kernel.hpp"
#include "dagathlon/undirected/clique_score.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/undirected/undirected_log.hpp"

namespace dagathlon {

// A junction tree with the logarithm of the number of those of the same graph. Each of them has an equal
// share of the posterior of the graph.
struct CountedTree {
  GrowingTree tree;
  double log_trees = 0;
};

// Steps from trees over some nodes to trees over one more.
class TreeGrowth {
 public:
  TreeGrowth(const DecomposableTarget& target, const SubtreeKernel& kernel) : target_(&target), kernel_(&kernel) {}

  std::size_t size() const { return target_->size(); }
  // The tree of a single node.
  CountedTree seed(std::size_t node) const;
  // A random one of all nodes without any edge.
  CountedTree empty(Stream& random) const;
  // Puts a node in by a draw of the kernel; the log weight.
  double grow(const CountedTree& before, CountedTree& after, std::size_t node, Stream& random);
  // Takes a node out by the backward kernel; the log weight of the step that would put it in again.
  double shrink(CountedTree& state, std::size_t node, Stream& random);
  // Takes a node out and puts it in elsewhere, if that is accepted; whether it was.
  bool move(CountedTree& state, std::size_t node, Stream& random);
  // The log posterior of the tree's graph.
  double log_posterior(const GrowingTree& tree) const;

 private:
  // Posterior ratio times backward over forward probability, where an extension of one tree gave another.
  double log_weight(const CountedTree& before, std::size_t node, const Extension& extension,
                    const CountedTree& after) const;
  double log_gain(const GrowingTree& tree, std::size_t node, const Extension& extension) const;
  double clique(ConstRow members) const;
  double separator(ConstRow members) const;

  const DecomposableTarget* target_;
  const SubtreeKernel* kernel_;
  Extension extension_;
  mutable std::vector<std::size_t> list_;
};

// The junction trees of all numbers of nodes up to all, as weighted particles.
class Particles {
 public:
  Particles(TreeGrowth& growth, std::size_t number) : growth_(&growth), number_(number) {}

  // Runs over an order of the nodes; the logarithm of the estimate of the sum of the target over graphs.
  double run(const std::vector<std::size_t>& order, Stream& random);
  // One of the trees at the end of a run, by their weights.
  CountedTree sampled(Stream& random);
  // Takes late nodes of an order out of a tree by the backward kernel and lets particles grow from there,
  // the first of which goes the same way back. One of the trees at the end takes the place of the given
  // one; whether it is not the first.
  bool run_through(CountedTree& tree, std::span<const std::size_t> late, Stream& random);

 private:
  // All particles but the first so many get an ancestor and grow by a node; a beat each.
  void advance(std::size_t node, std::size_t kept, Stream& random);
  std::size_t drawn(Stream& random) const;
  void normalise();

  TreeGrowth* growth_;
  std::size_t number_;
  std::vector<CountedTree> now_;
  std::vector<CountedTree> before_;
  std::vector<double> log_weights_;
  // Up to each particle, as shares of the sum.
  std::vector<double> cumulative_;
};

// An order of n nodes, each at random among those within a radius of one before it; all where none is.
std::vector<std::size_t> nearby_order(std::size_t n, std::size_t radius, Stream& random);

struct ParticleOptions {
  std::size_t particles;
  double alpha;
  double beta;
  std::size_t radius;
  // The number of nodes that a step of particle Gibbs puts in anew.
  std::size_t block;
  bool informed;
};

std::unique_ptr<SubtreeKernel> kernel_for(const DecomposableTarget& target, const ParticleOptions& options);

// Logarithms of independent estimates of the number of decomposable graphs of n nodes.
std::vector<double> decomposable_counts(std::size_t n, const ParticleOptions& options, std::size_t estimates,
                                        std::uint64_t seed);

// Particle Gibbs: in each step a new order of the nodes, and a new way back from the junction tree over the
// last ones of it, along which the particles are led to the next tree.
UndirectedLog particle_gibbs(const DecomposableTarget& target, const ParticleOptions& options, ChainLength length,
                             Stream random);

}  // namespace dagathlon
