#include "dagathlon/latent/path_blocker.hpp"

#include <utility>
#include <vector>

#include "dagathlon/run/pulse.hpp"

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

PathBlocker::PathBlocker(const MarkedGraph& graph)
    : graph_(graph),
      adjacent_(graph.adjacency_rows()),
      into_(arrow_rows(graph)),
      descendants_(descendant_rows(graph)) {}

bool PathBlocker::is_open(std::size_t a, std::size_t middle, std::size_t b, const BitSet& given) const {
  if (is_collider(a, middle, b)) return intersects(descendants_[middle], given);
  return !given.test(middle);
}

BitSet PathBlocker::anterior(const Ends& ends, const BitSet& closed) const {
  BitSet found(graph_.size());
  std::vector<std::size_t> open{ends.from, ends.to};
  found.set(ends.from);
  found.set(ends.to);
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    BitSet before(graph_.size(), adjacent_[node]);
    subtract(before, into_[node]);
    subtract(before, found);
    subtract(before, closed);
    unite(found, before);
    for_each(before, [&](std::size_t other) { open.push_back(other); });
  }
  found.reset(ends.from);
  found.reset(ends.to);
  return found;
}

BitSet PathBlocker::reached(const Ends& ends, const BitSet& given, const BitSet& closed) const {
  // Whether a walk goes on depends on its last edge alone, so every edge is walked at most once each way.
  BitMatrix walked(graph_.size());
  BitSet found(graph_.size());
  std::vector<std::pair<std::size_t, std::size_t>> open;
  const auto walk = [&](std::size_t a, std::size_t b) {
    if (b == ends.from || closed.test(b) || walked.test(a, b)) return;
    walked.set(a, b);
    found.set(b);
    if (b != ends.to) open.emplace_back(a, b);
  };
  for_each(adjacent_[ends.from], [&](std::size_t b) {
    if (b != ends.to) walk(ends.from, b);
  });
  while (!open.empty()) {
    pulse::beat();
    const auto [a, b] = open.back();
    open.pop_back();
    for_each(adjacent_[b], [&](std::size_t c) {
      if (c != a && is_open(a, b, c, given)) walk(b, c);
    });
  }
  return found;
}

std::optional<BitSet> PathBlocker::blocking_set(std::size_t x, std::size_t y, const BitSet& closed) const {
  BitSet given = anterior({x, y}, closed);
  for (const Ends& ends : {Ends{y, x}, Ends{x, y}}) {
    const BitSet seen = reached(ends, given, closed);
    if (seen.test(ends.to)) return std::nullopt;
    intersect(given, seen);
  }
  if (reached({x, y}, given, closed).test(y)) return std::nullopt;
  return given;
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
