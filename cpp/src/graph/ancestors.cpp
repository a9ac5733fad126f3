#include "dagathlon/graph/ancestors.hpp"

#include <vector>

namespace dagathlon {

namespace {

// Nodes such that, where there is no cycle, every node stands after all nodes it steps to.
std::vector<std::size_t> postorder(const BitMatrix& step) {
  const std::size_t n = step.size();
  std::vector<std::size_t> order;
  std::vector<std::size_t> path;
  order.reserve(n);
  BitSet unseen(n);
  for (std::size_t i = 0; i < n; ++i) unseen.set(i);
  BitSet next(n);
  for (std::size_t root = 0; root < n; ++root) {
    if (!unseen.test(root)) continue;
    unseen.reset(root);
    path.push_back(root);
    while (!path.empty()) {
      std::copy(step[path.back()].begin(), step[path.back()].end(), next.row().begin());
      intersect(next, unseen);
      if (const std::size_t v = first(next); v != no_node) {
        unseen.reset(v);
        path.push_back(v);
      } else {
        order.push_back(path.back());
        path.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

BitMatrix closure_rows(const BitMatrix& step) {
  const std::size_t n = step.size();
  BitMatrix closure(n);
  BitSet finished(n);
  BitSet pending(n);
  for (const std::size_t i : postorder(step)) {
    const Row reached = closure[i];
    pending.set(i);
    for (std::size_t v = i; v != no_node; v = first(pending)) {
      pending.reset(v);
      // A finished row is closed, so it is taken whole instead of being walked again.
      if (finished.test(v)) {
        unite(reached, closure[v]);
      } else {
        set(reached, v);
        unite(pending, step[v]);
      }
      subtract(pending, reached);
    }
    finished.set(i);
  }
  return closure;
}

BitMatrix ancestor_rows(const MarkedGraph& graph) { return closure_rows(graph.parent_rows()); }

BitMatrix anterior_rows(const MarkedGraph& graph) {
  BitMatrix step = graph.parent_rows();
  const BitMatrix neighbours = graph.neighbour_rows();
  for (std::size_t i = 0; i < graph.size(); ++i) unite(step[i], neighbours[i]);
  return closure_rows(step);
}

}  // namespace dagathlon
