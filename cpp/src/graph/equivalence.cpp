#include "dagathlon/graph/equivalence.hpp"

#include <algorithm>
#include <vector>

#include "dagathlon/graph/dag.hpp"
#include "dagathlon/graph/pdag.hpp"

namespace dagathlon {

namespace {

// The nodes still in play while a PDAG is taken apart from its sinks.
class Dismantling {
 public:
  explicit Dismantling(const MarkedGraph& pdag) : rest_(pdag), result_(rest_), left_(pdag.size()) {
    for (std::size_t i = 0; i < pdag.size(); ++i) left_.set(i);
  }

  // Whether all edges at `node` can point to it without a new v-structure.
  bool can_be_sink(std::size_t node) const {
    if (any(rest_.children[node])) return false;
    bool complete = true;
    for_each(rest_.neighbours[node], [&](std::size_t neighbour) {
      BitSet others(rest_.size(), rest_.adjacent[node]);
      others.reset(neighbour);
      complete = complete && is_subset(others, rest_.adjacent[neighbour]);
    });
    return complete;
  }

  // Directs all edges at `node` to it and takes it away; gives the nodes that were adjacent.
  BitSet take(std::size_t node) {
    const BitSet adjacent(rest_.size(), rest_.adjacent[node]);
    for_each(rest_.neighbours[node], [&](std::size_t i) { result_.direct(i, node); });
    for_each(adjacent, [&](std::size_t i) {
      rest_.adjacent.reset(i, node);
      rest_.children.reset(i, node);
      rest_.neighbours.reset(i, node);
    });
    left_.reset(node);
    return adjacent;
  }

  const BitSet& left() const { return left_; }
  MarkedGraph result() const { return result_.graph(); }

 private:
  Pdag rest_;
  Pdag result_;
  BitSet left_;
};

}  // namespace

// In the order of Chickering (1995) the first edge to look at comes from the latest parent, and looking at
// it settles all others into the same node: one step per node instead of one per edge.
void label_edges_into(std::size_t node, std::size_t latest_parent, const BitMatrix& parents, const BitMatrix& compelled,
                      Row into) {
  if (!is_subset(compelled[latest_parent], parents[node])) {
    unite(into, parents[node]);
    return;
  }
  BitSet others(parents.size(), parents[node]);
  others.reset(latest_parent);
  unite(into, is_subset(others, parents[latest_parent]) ? compelled[latest_parent] : parents[node]);
}

MarkedGraph cpdag_of_dag(const MarkedGraph& dag, std::span<const std::size_t> order) {
  const std::size_t n = dag.size();
  const BitMatrix parents = dag.parent_rows();
  std::vector<std::size_t> place(n);
  for (std::size_t k = 0; k < n; ++k) place[order[k]] = k;
  BitMatrix compelled(n);
  for (const std::size_t node : order) {
    std::size_t latest = no_node;
    for_each(parents[node], [&](std::size_t parent) {
      if (latest == no_node || place[parent] > place[latest]) latest = parent;
    });
    if (latest != no_node) label_edges_into(node, latest, parents, compelled, compelled[node]);
  }
  BitMatrix compelled_children(n);
  BitMatrix neighbours(n);
  for (std::size_t node = 0; node < n; ++node)
    for_each(parents[node], [&](std::size_t parent) {
      if (compelled.test(node, parent)) {
        compelled_children.set(parent, node);
      } else {
        neighbours.set(node, parent);
        neighbours.set(parent, node);
      }
    });
  return MarkedGraph::from_rows(compelled, compelled_children, neighbours);
}

std::variant<MarkedGraph, BitSet> extension(const MarkedGraph& pdag) {
  const std::size_t n = pdag.size();
  Dismantling rest(pdag);
  // A node that cannot be a sink now can become one only when a node adjacent to it is taken.
  BitSet candidates = rest.left();
  for (std::size_t node = last(candidates); node != no_node; node = last(candidates)) {
    candidates.reset(node);
    if (rest.can_be_sink(node)) unite(candidates, rest.take(node));
  }
  if (any(rest.left())) return BitSet(n, rest.left());
  return rest.result();
}

std::optional<MarkedGraph> cpdag(const MarkedGraph& graph) {
  if (is_dag(graph)) return cpdag_of_dag(graph, topological_order(graph));
  if (!is_pdag(graph)) return std::nullopt;
  const auto extended = extension(graph);
  const auto* dag = std::get_if<MarkedGraph>(&extended);
  if (dag == nullptr) return std::nullopt;
  return cpdag_of_dag(*dag, topological_order(*dag));
}

bool is_cpdag(const MarkedGraph& graph) {
  // All consistent extensions of a CPDAG have that CPDAG, so any one of them decides.
  const auto found = cpdag(graph);
  return found.has_value() && *found == graph;
}

bool is_pattern(const MarkedGraph& graph) {
  // An extension has the graph's v-structures, so their pattern can be read off the graph itself.
  return cpdag(graph).has_value() && pattern(graph) == graph;
}

}  // namespace dagathlon
