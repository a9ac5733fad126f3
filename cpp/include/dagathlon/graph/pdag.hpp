// Graphs of directed and undirected edges, kept as the node sets that orientation rules ask for.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

struct Pdag {
  // Takes the directed and undirected edges of a graph that has no others (see `is_pdag`).
  explicit Pdag(const MarkedGraph& graph);
  MarkedGraph graph() const { return MarkedGraph::from_rows(parents, children, neighbours); }

  std::size_t size() const { return adjacent.size(); }
  // Directs the undirected edge between two neighbours.
  void direct(std::size_t from, std::size_t to) {
    neighbours.reset(from, to);
    neighbours.reset(to, from);
    children.set(from, to);
    parents.set(to, from);
  }

  BitMatrix adjacent;
  BitMatrix parents;
  BitMatrix children;
  BitMatrix neighbours;
};

// Whether there are directed and undirected edges only.
bool is_pdag(const MarkedGraph& graph);
// Whether there are undirected edges only.
bool is_undirected(const MarkedGraph& graph);

// The same adjacencies, all undirected.
MarkedGraph skeleton(const MarkedGraph& graph);

// The skeleton with x → c ← y directed for every two non-adjacent nodes x, y that both have a
// directed edge into c; any other edge, whatever its marks, is undirected.
MarkedGraph pattern(const MarkedGraph& graph);

// x, collider, y for non-adjacent x < y whose edges to the collider have an arrow there.
using VStructure = std::array<std::size_t, 3>;
std::vector<VStructure> v_structures(const MarkedGraph& graph);

}  // namespace dagathlon
