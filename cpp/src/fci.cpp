#include "dagathlon/fci.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace dagathlon {

namespace {

bool may_pass(const MarkedGraph& graph, std::size_t a, std::size_t b, std::size_t c) {
  return (graph.mark(a, b) == Mark::arrow && graph.mark(c, b) == Mark::arrow) || graph.adjacent(a, c);
}

MarkedGraph circles(const BitMatrix& adjacent) {
  MarkedGraph graph(adjacent.size());
  for (std::size_t i = 0; i < adjacent.size(); ++i)
    for_each(adjacent[i], [&](std::size_t j) { graph.set_edge(i, Mark::circle, j, Mark::circle); });
  return graph;
}

// A pair that no test separated says nothing about the nodes between.
SeparatorLookup lookup(const SeparatingSets& separating) {
  return [&separating](std::size_t a, std::size_t c, std::size_t b) {
    return !separating.known(a, b) || separating.contains(a, b, c);
  };
}

// A forbidden edge has an arrow at its start, a required one is directed.
void direct_knowledge(MarkedGraph& graph, const FciOptions& options) {
  for (std::size_t i = 0; i < options.forbidden.size(); ++i)
    for (std::size_t j = 0; j < options.forbidden.size(); ++j) {
      if (!graph.adjacent(i, j)) continue;
      if (options.forbidden.test(i, j) && !options.required.test(i, j))
        graph.set_edge(i, Mark::arrow, j, graph.mark(i, j));
    }
  for (std::size_t i = 0; i < options.required.size(); ++i)
    for_each(options.required[i], [&](std::size_t j) {
      if (graph.adjacent(i, j)) graph.set_directed(i, j);
    });
}

class SecondPass {
 public:
  SecondPass(IndependenceTest& test, Skeleton& skeleton, const SkeletonOptions& options)
      : test_(test), skeleton_(skeleton), options_(options) {}

  // The candidates of all nodes come from the graph at the beginning, so that their order matters
  // less.
  void run() {
    MarkedGraph graph = circles(skeleton_.adjacent);
    orient_colliders(graph, lookup(skeleton_.separating));
    std::vector<BitSet> reached;
    for (std::size_t x = 0; x < graph.size(); ++x) reached.push_back(possible_d_sep(graph, x));
    for (std::size_t x = 0; x < graph.size(); ++x) {
      const BitSet neighbours(graph.size(), skeleton_.adjacent[x]);
      for_each(neighbours, [&](std::size_t y) { separate(x, y, reached[x]); });
    }
  }

 private:
  void separate(std::size_t x, std::size_t y, const BitSet& reached) {
    if (options_.fixed_edges.size() != 0 && options_.fixed_edges.test(x, y)) return;
    std::vector<std::size_t> candidates;
    for_each(reached, [&](std::size_t node) {
      if (node != y) candidates.push_back(node);
    });
    // Sets of neighbours were tried by the first pass.
    const BitSet tried(skeleton_.adjacent.size(), skeleton_.adjacent[x]);
    for (std::size_t size = 1; size <= std::min(options_.max_order, candidates.size()); ++size) {
      const auto found = test_.separator(x, y, {candidates, size, tried}, options_.alpha);
      if (!found) continue;
      skeleton_.adjacent.reset(x, y);
      skeleton_.adjacent.reset(y, x);
      skeleton_.separating.put(x, y, *found);
      return;
    }
  }

  IndependenceTest& test_;
  Skeleton& skeleton_;
  const SkeletonOptions& options_;
};

}  // namespace

BitSet possible_d_sep(const MarkedGraph& graph, std::size_t x) {
  const std::size_t n = graph.size();
  BitSet reached(n);
  BitMatrix seen(n);
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  const auto visit = [&](std::size_t a, std::size_t b) {
    if (seen.test(a, b)) return;
    seen.set(a, b);
    reached.set(b);
    steps.emplace_back(a, b);
  };
  for_each(graph.adjacencies(x), [&](std::size_t b) { visit(x, b); });
  while (!steps.empty()) {
    const auto [a, b] = steps.back();
    steps.pop_back();
    for_each(graph.adjacencies(b), [&](std::size_t c) {
      if (c != a && c != x && may_pass(graph, a, b, c)) visit(b, c);
    });
  }
  return reached;
}

MarkedGraph learn_fci(IndependenceTest& test, const FciOptions& options) {
  Skeleton skeleton = find_skeleton(test, options.skeleton);
  if (options.possible_d_sep) SecondPass(test, skeleton, options.skeleton).run();
  MarkedGraph graph = circles(skeleton.adjacent);
  const SeparatorLookup in_separating_set = lookup(skeleton.separating);
  orient_colliders(graph, in_separating_set);
  direct_knowledge(graph, options);
  orient(graph, in_separating_set, options.rules);
  return graph;
}

}  // namespace dagathlon
