// Runs of Markov chains over Gaussian graphical models: the graphs, and the mean of the precision matrix.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/undirected/birth_death.hpp"
#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/undirected/copula_data.hpp"
#include "dagathlon/undirected/gaussian_graph.hpp"
#include "dagathlon/undirected/undirected_log.hpp"

namespace dagathlon {

struct GaussianChain {
  UndirectedLog log;
  // Mean over all sweeps after the warm-up, row after row.
  std::vector<double> precision;
};

// Logarithm of the posterior of a graph up to a constant that all graphs share: the marginal likelihood times the
// prior. Exact where the graph is decomposable; elsewhere by Laplace's approximation of the posterior constant and
// by ratios of prior constants. The scale is that of the posterior.
double log_posterior(const GaussianGraph& graph, const SquareMatrix& scale);

// The duration of a sweep is found during the warm-up, or in the first sweep where there is none. Where there is a
// copula, the graph has its scatter, and the latent data are drawn after each sweep.
GaussianChain birth_death_chain(GaussianGraph graph, double jumps, ChainLength length, Stream random,
                                CopulaData* copula = nullptr);
GaussianChain reversible_jump_chain(GaussianGraph graph, std::size_t proposals, ChainLength length, Stream random,
                                    CopulaData* copula = nullptr);

}  // namespace dagathlon
