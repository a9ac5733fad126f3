// Markov chains over unconditional dependence graphs: which pairs of nodes of a DAG are dependent when
// nothing is conditioned on (Deligeorgaki, Markham, Misra and Solus 2023).
//
// Such a graph has sources 1, …, k, and each node a set of sources it descends from; two nodes are joined
// where their sets meet, and each source has at least one node with no other source. The graph and the
// sets determine each other, but for the names of the sources. A graph is scored as the largest DAG that has
// it: v is a parent of w where its set is part of w's, and nodes with the same set are all joined.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/mcmc/coupled_chains.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/score/score.hpp"
#include "dagathlon/undirected/undirected_log.hpp"

namespace dagathlon {

// The sources of all nodes.
class SourceSets {
 public:
  // Each of n nodes is a source of its own: the graph without edges.
  explicit SourceSets(std::size_t n);

  std::size_t size() const { return sets_.size(); }
  std::size_t n_sources() const { return used_.size(); }
  // Numbers of the sources, in no order.
  const std::vector<std::size_t>& sources() const { return used_; }
  ConstRow of(std::size_t node) const { return sets_[node]; }

  // Gives nodes other sets; false, and nothing is changed, where a source would be left without a node of
  // its own, or a node without a source. Sources that no set names any more are gone.
  bool assign(const std::vector<std::size_t>& nodes, const std::vector<BitSet>& sets);

  // A number that no source has; there is one as long as there are fewer sources than nodes.
  std::size_t free_number() const;

 private:
  BitMatrix sets_;
  std::vector<std::size_t> used_;
};

struct UnconditionalOptions {
  // Scores are raised to this power.
  double power = 1;
  // Largest number of parents in the largest DAG of a graph.
  std::size_t max_parents = static_cast<std::size_t>(-1);
  // Log prior weight of each number of sources, from 1 to the number of nodes.
  std::vector<double> log_prior;
  Coldness coldness{1.0};
};

// Starts at the graph without edges. The score should give equivalent DAGs the same value.
UndirectedLog unconditional_chain(Score& score, const UnconditionalOptions& options, const ChainLength& length,
                                  UndirectedLog::Means means, Stream random);

}  // namespace dagathlon
