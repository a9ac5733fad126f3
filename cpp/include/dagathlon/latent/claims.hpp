// What a graph with circles says about independence, read as it stands.
#pragma once

#include <span>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/graph/nodes.hpp"

namespace dagathlon {

// Paths are followed as in m-separation, with these readings: a node is a collider where both edges have
// an arrow at it and none otherwise; a collider is open for directed paths to a given node only, not for
// edges that begin with a circle. The graph may be of any kind.
class StandingClaims {
 public:
  explicit StandingClaims(const MarkedGraph& graph);

  std::size_t size() const { return graph_.size(); }
  bool separated(std::size_t x, std::size_t y, Nodes given) const;

 private:
  const MarkedGraph& graph_;
  BitMatrix adjacent_;
  BitMatrix ancestors_;
};

}  // namespace dagathlon
