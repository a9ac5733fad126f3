// Steps of Markov chains over Gaussian graphical models as BDgraph 2.72 makes them, for comparison with it.
//
// They are not those of birth_death.hpp, and their edge probabilities are not those of the posterior:
// - the number of common neighbours plus b, halved, is rounded down in the ratio of prior constants;
// - the auxiliary precision matrix is drawn for the graph as it is rather than for the one proposed, and one
//   serves all pairs;
// - births and deaths change several edges at once where there are more than ten nodes, and the precision matrix
//   is drawn anew at every jump, while graphs count by the inverse of the sum of the rates.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/g_wishart.hpp"
#include "dagathlon/gaussian_graph.hpp"
#include "dagathlon/random.hpp"

namespace dagathlon {

struct PublishedOptions {
  // Births and deaths, or reversible jumps.
  bool births;
  // Whether an auxiliary precision matrix takes the place of the ratio of constants.
  bool auxiliary;
  // Edges that a birth-death step changes.
  std::size_t jumps;
};

class PublishedStep {
 public:
  PublishedStep(const PublishedOptions& options, const GaussianGraph& graph);

  // How long the graph before the step lasts; 1 for reversible jumps.
  double step(GaussianGraph& graph, Stream& random);

 private:
  double log_odds(const GaussianGraph& graph, std::size_t i, std::size_t j) const;
  double jump(GaussianGraph& graph, Stream& random);
  void propose(GaussianGraph& graph, Stream& random);

  PublishedOptions options_;
  SquareMatrix prior_factor_;
  double log_prior_odds_;
  std::vector<double> log_ratios_;
  GWishartSampler sampler_;
  Precision auxiliary_;
  std::vector<double> rates_;
};

}  // namespace dagathlon
