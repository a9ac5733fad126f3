#include "dagathlon/graph/dag.hpp"

#include <algorithm>

namespace dagathlon {

namespace {

// Everything that repeated steps reach from `nodes`; step(i) gives the next nodes after i.
template <class Step>
BitSet reach(const BitSet& nodes, Step&& step) {
  BitSet reached = nodes;
  std::vector<std::size_t> todo;
  for_each(nodes, [&](std::size_t i) { todo.push_back(i); });
  while (!todo.empty()) {
    BitSet next = step(todo.back());
    todo.pop_back();
    subtract(next, reached);
    unite(reached, next);
    for_each(next, [&](std::size_t i) { todo.push_back(i); });
  }
  return reached;
}

bool all_edges_directed(const MarkedGraph& graph) {
  const ConstRow arrows = graph.far_words(Mark::arrow);
  return !any(graph.far_words(Mark::circle)) && std::ranges::equal(arrows, graph.near_words(Mark::tail));
}

}  // namespace

std::vector<std::size_t> topological_order(const MarkedGraph& graph) {
  const std::size_t n = graph.size();
  std::vector<std::size_t> missing(n);
  BitSet ready(n);
  for (std::size_t i = 0; i < n; ++i) {
    missing[i] = count(graph.parents(i));
    if (missing[i] == 0) ready.set(i);
  }
  std::vector<std::size_t> order;
  order.reserve(n);
  for (std::size_t i = first(ready); i != no_node; i = first(ready)) {
    ready.reset(i);
    order.push_back(i);
    for_each(graph.children(i), [&](std::size_t child) {
      if (--missing[child] == 0) ready.set(child);
    });
  }
  return order;
}

std::vector<std::size_t> directed_cycle(const MarkedGraph& graph) {
  const std::size_t n = graph.size();
  BitSet unordered(n);
  for (std::size_t i = 0; i < n; ++i) unordered.set(i);
  for (const std::size_t i : topological_order(graph)) unordered.reset(i);
  if (!any(unordered)) return {};
  // Every node without a place in the order has a parent without one, so walking back must repeat.
  std::vector<std::size_t> path;
  BitSet seen(n);
  std::size_t node = first(unordered);
  while (!seen.test(node)) {
    seen.set(node);
    path.push_back(node);
    BitSet before = graph.parents(node);
    intersect(before, unordered);
    node = first(before);
  }
  path.erase(path.begin(), std::ranges::find(path, node));
  std::ranges::reverse(path);
  std::ranges::rotate(path, std::ranges::min_element(path));
  return path;
}

bool is_dag(const MarkedGraph& graph) {
  return all_edges_directed(graph) && topological_order(graph).size() == graph.size();
}

BitSet ancestors(const MarkedGraph& graph, const BitSet& nodes) {
  return reach(nodes, [&](std::size_t i) { return graph.parents(i); });
}

BitSet descendants(const MarkedGraph& graph, const BitSet& nodes) {
  return reach(nodes, [&](std::size_t i) { return graph.children(i); });
}

BitSet markov_blanket(const MarkedGraph& graph, std::size_t node) {
  BitSet blanket = graph.parents(node);
  const BitSet children = graph.children(node);
  unite(blanket, children);
  for_each(children, [&](std::size_t child) { unite(blanket, graph.parents(child)); });
  blanket.reset(node);
  return blanket;
}

MarkedGraph moral(const MarkedGraph& dag) {
  const std::size_t n = dag.size();
  BitMatrix joined = dag.adjacency_rows();
  for (std::size_t child = 0; child < n; ++child) {
    const BitSet parents = dag.parents(child);
    for_each(parents, [&](std::size_t parent) { unite(joined[parent], parents); });
  }
  for (std::size_t i = 0; i < n; ++i) joined.reset(i, i);
  return MarkedGraph::from_rows(BitMatrix(n), BitMatrix(n), joined);
}

}  // namespace dagathlon
