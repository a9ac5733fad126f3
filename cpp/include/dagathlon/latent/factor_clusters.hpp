// Clusters of variables that share one latent cause, or two, from which minors of their covariances
// vanish (Kummerfeld and Ramsey 2016; Kummerfeld et al. 2014).
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/test/vanishing_minors.hpp"

namespace dagathlon {

// Settings of a search.
struct ClusterSearch {
  // Size of the smallest clusters: 3 for one factor, 5 for two; one more have minors of their own.
  std::size_t seed = 3;
  // Share of the sets of a cluster and a further variable that must be pure for it to join.
  double growth = 0.5;
  // Correlations of smaller size count as none.
  double least_correlation = 0;
  // So many pairs without correlation make a seed, and a set of one more, no cluster.
  std::size_t loose_in_seed = 1;
  std::size_t loose_in_set = 1;
  // Whether all seeds are grown and the largest clusters picked, or one is grown after another.
  bool pick = true;
};

// The clusters; members in the order in which they joined.
std::vector<std::vector<std::size_t>> factor_clusters(const SampleMoments& moments, VanishingMinors& minors,
                                                      const ClusterSearch& settings);

}  // namespace dagathlon
