// m-separation: d-separation in DAGs, graph separation in undirected graphs, and both at once in
// mixed graphs.
#pragma once

#include <optional>
#include <span>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/graph/nodes.hpp"

namespace dagathlon {

// Whether m-separation has its standard meaning: only tails and arrows, no directed cycle, and no
// arrow at a node that has an undirected edge. DAGs, undirected graphs, acyclic directed mixed
// graphs and ancestral graphs pass; graphs with circles and chain graphs such as CPDAGs do not.
bool admits_separation(const MarkedGraph& graph);

// Nodes that walks from a start reach; owned by the thread, valid until its next search.
struct Reached {
  ConstRow by_arrow;  // by an edge with an arrow at the node
  ConstRow by_tail;   // by an edge with a tail at the node
  bool contains(std::size_t v) const { return test(by_arrow, v) || test(by_tail, v); }
};

// Edges of a mixed graph, laid out for following walks.
class Walks {
 public:
  explicit Walks(const MarkedGraph& graph);

  std::size_t size() const { return n_; }
  bool adjacent(std::size_t i, std::size_t j) const;

  // Follows all walks inside `within` that leave the starts, whose colliders are in `colliders` and
  // whose other inner nodes are in `noncolliders`; stops as soon as a target is reached.
  Reached reach(ConstRow starts, ConstRow targets, ConstRow within, ConstRow colliders, ConstRow noncolliders) const;

 private:
  // The four rows of a node stand together, since a search reads them together.
  enum Kind : std::size_t { children, neighbours, spouses, parents, kinds };
  ConstRow row(Kind kind, std::size_t v) const { return {words_.data() + (v * kinds + kind) * stride_, stride_}; }

  std::size_t n_;
  std::size_t stride_;
  std::vector<Word> words_;
};

// Answers separation queries on one graph. Queries allocate nothing and may come from any number of
// threads; constructing takes the closure of the graph once.
class SeparationOracle {
 public:
  // The graph must admit separation.
  explicit SeparationOracle(const MarkedGraph& graph);

  std::size_t size() const { return walks_.size(); }

  // Whether x and y are separated by `given`, which contains neither.
  bool separated(std::size_t x, std::size_t y, Nodes given) const {
    return separated(Nodes(&x, 1), Nodes(&y, 1), given);
  }
  // The same for disjoint sets of nodes.
  bool separated(Nodes x, Nodes y, Nodes given) const;

  // A separating set of x and y from which no node can be left out, if there is a separating set.
  std::optional<BitSet> separating_set(std::size_t x, std::size_t y) const;

  // Whether c is anterior to a or to b. In a maximal graph the anterior nodes separate any two nodes
  // that are not adjacent, so this says whether c is in that separating set.
  bool in_separating_set(std::size_t a, std::size_t c, std::size_t b) const {
    return anterior_.test(a, c) || anterior_.test(b, c);
  }

  const Walks& walks() const { return walks_; }
  // Row i: the nodes anterior to i, and i.
  const BitMatrix& anterior() const { return anterior_; }

 private:
  Walks walks_;
  BitMatrix anterior_;
};

}  // namespace dagathlon
