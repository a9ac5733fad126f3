// Markov chains over decomposable graphs.
#pragma once

#include <cmath>
#include <cstddef>

#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/undirected/clique_score.hpp"
#include "dagathlon/undirected/junction_tree.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/undirected/undirected_log.hpp"

namespace dagathlon {

// Log weights of the four sets that a connection or its undoing is about: the separator, the separator with
// each side, and all of it.
class CliqueTerms {
 public:
  explicit CliqueTerms(const DecomposableTarget& target) : target_(&target) {}

  // What the log posterior gains when all nodes of x are joined with all of y across a separator. A side
  // that is a whole clique is one no longer; another one becomes a separator.
  double gain(ConstRow separator, ConstRow x, ConstRow y, bool whole_x, bool whole_y);

 private:
  double side(ConstRow separator, ConstRow extra, bool whole);
  Nodes listed(ConstRow a, ConstRow b, ConstRow c);

  const DecomposableTarget* target_;
  std::vector<std::size_t> nodes_;
  std::vector<Word> words_;
};

// A score that was added up along a chain without the digits that depend on the way: a graph has one score, and
// graphs of equal posterior the same.
inline double settled(double score) { return std::round(score * 0x1p24) * 0x1p-24; }

// Where chains start.
enum class FirstGraph : bool { empty, forest };
// The empty graph, or of all forests that of highest posterior under a prior on single edges alone (Chow and
// Liu 1968); the empty one where cliques of two nodes are too large.
BitMatrix first_graph(const DecomposableTarget& target, FirstGraph which);

// Single edges of the graph (Giudici and Green 1999): a pair of nodes is drawn, and its edge turned where the
// graph stays decomposable, which a junction tree tells. The start is decomposable.
UndirectedLog giudici_green_chain(const DecomposableTarget& target, const BitMatrix& start, const ChainLength& length,
                                  Stream random);

struct JunctionTreeOptions {
  // Whether a move may add or remove several edges at a time.
  bool several;
  // Steps between two random junction trees of the graph; 0: never.
  std::size_t randomise;
};

// Junction trees (Green and Thomas 2013): the weight of a tree is that of its graph divided by the number of
// its junction trees, so that graphs have theirs.
UndirectedLog junction_tree_chain(const DecomposableTarget& target, const BitMatrix& start,
                                  const JunctionTreeOptions& options, const ChainLength& length, Stream random);

}  // namespace dagathlon
