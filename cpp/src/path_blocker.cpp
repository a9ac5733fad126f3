#include "dagathlon/path_blocker.hpp"

#include <vector>

#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

BitMatrix arrow_rows(const MarkedGraph& graph) {
  BitMatrix rows(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) unite(rows[i], graph.at_far_end(Mark::arrow, i));
  return rows;
}

// By a walk from each node, since the graph may have cycles while tests contradict each other.
BitMatrix descendant_rows(const MarkedGraph& graph) {
  const BitMatrix children = graph.child_rows();
  BitMatrix rows(graph.size());
  for (std::size_t start = 0; start < graph.size(); ++start) {
    std::vector<std::size_t> open{start};
    rows.set(start, start);
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      for_each(children[node], [&](std::size_t child) {
        if (rows.test(start, child)) return;
        rows.set(start, child);
        open.push_back(child);
      });
    }
  }
  return rows;
}

}  // namespace

// Paths are followed depth first. A node is given only where a path through it would reach y otherwise, so that
// what is given lies near y and is little.
struct PathBlocker::Search {
  const PathBlocker& graph;
  std::size_t y;
  const BitSet& closed;
  BitSet given;
  BitSet on_path;

  // Whether all paths that go on from a over b are blocked, or can be by giving more nodes.
  bool blocks(std::size_t a, std::size_t b) {
    pulse::beat();
    if (b == y) return false;
    if (on_path.test(b)) return true;
    on_path.set(b);
    bool blocked = all_blocked(a, b);
    if (!blocked && !given.test(b)) {
      given.set(b);
      blocked = all_blocked(a, b);
      if (!blocked) given.reset(b);
    }
    on_path.reset(b);
    return blocked;
  }

  bool all_blocked(std::size_t a, std::size_t b) {
    bool blocked = true;
    for_each(graph.adjacent_[b], [&](std::size_t c) {
      if (!blocked || c == a || closed.test(c)) return;
      if (graph.is_open(a, b, c, given)) blocked = blocks(b, c);
    });
    return blocked;
  }
};

PathBlocker::PathBlocker(const MarkedGraph& graph)
    : graph_(graph),
      adjacent_(graph.adjacency_rows()),
      into_(arrow_rows(graph)),
      descendants_(descendant_rows(graph)) {}

bool PathBlocker::is_open(std::size_t a, std::size_t middle, std::size_t b, const BitSet& given) const {
  if (is_collider(a, middle, b)) return intersects(descendants_[middle], given);
  return !given.test(middle);
}

std::optional<BitSet> PathBlocker::blocking_set(std::size_t x, std::size_t y, const BitSet& closed) const {
  Search search{*this, y, closed, BitSet(graph_.size()), BitSet(graph_.size())};
  search.on_path.set(x);
  bool blocked = true;
  for_each(adjacent_[x], [&](std::size_t b) {
    if (blocked && b != y) blocked = !closed.test(b) && search.blocks(x, b);
  });
  if (!blocked) return std::nullopt;
  return std::move(search.given);
}

BitSet PathBlocker::undecided(std::size_t x, std::size_t y) const {
  BitSet parents(graph_.size(), adjacent_[y]);
  subtract(parents, into_[y]);
  BitSet reached(graph_.size(), into_[x]);
  intersect(reached, parents);
  reached.reset(x);
  std::vector<std::size_t> open;
  for_each(reached, [&](std::size_t q) { open.push_back(q); });
  BitSet result(graph_.size());
  while (!open.empty()) {
    const std::size_t q = open.back();
    open.pop_back();
    BitSet last(graph_.size(), graph_.at_near_end(Mark::arrow, q));
    BitSet next = graph_.spouses(q);
    intersect(next, parents);
    subtract(next, reached);
    unite(reached, next);
    for_each(next, [&](std::size_t w) { open.push_back(w); });
    intersect(last, graph_.at_far_end(Mark::circle, y));
    unite(result, last);
  }
  result.reset(x);
  return result;
}

}  // namespace dagathlon
