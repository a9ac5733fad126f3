#include "dagathlon/graph/chordal.hpp"

#include <algorithm>

namespace dagathlon {

namespace {

NodeSequence members(ConstRow row) {
  NodeSequence result;
  for_each(row, [&](std::size_t i) { result.push_back(i); });
  return result;
}

// Maximum cardinality search: next comes a node with the most adjacent nodes already placed.
NodeSequence maximum_cardinality_order(const BitMatrix& adjacent) {
  const std::size_t n = adjacent.size();
  std::vector<std::size_t> placed_adjacent(n);
  // by_count[k]: nodes that once had k placed adjacent nodes; outdated entries are passed over.
  std::vector<NodeSequence> by_count(n + 1);
  for (std::size_t i = n; i-- > 0;) by_count[0].push_back(i);
  BitSet placed(n);
  NodeSequence order;
  order.reserve(n);
  for (std::size_t level = 0; order.size() < n;) {
    if (by_count[level].empty()) {
      --level;
      continue;
    }
    const std::size_t node = by_count[level].back();
    by_count[level].pop_back();
    if (placed.test(node) || placed_adjacent[node] != level) continue;
    placed.set(node);
    order.push_back(node);
    BitSet waiting(n, adjacent[node]);
    subtract(waiting, placed);
    for_each(waiting, [&](std::size_t i) { by_count[++placed_adjacent[i]].push_back(i); });
    ++level;
  }
  return order;
}

// Whether each node's adjacent nodes before it in the order are mutually adjacent; enough to
// compare with those of the latest among them (Tarjan and Yannakakis, 1984).
bool is_perfect(const BitMatrix& adjacent, const NodeSequence& order) {
  const std::size_t n = adjacent.size();
  std::vector<std::size_t> place(n);
  for (std::size_t k = 0; k < n; ++k) place[order[k]] = k;
  BitSet placed(n);
  for (const std::size_t node : order) {
    BitSet before(n, adjacent[node]);
    intersect(before, placed);
    placed.set(node);
    std::size_t latest = no_node;
    for_each(before, [&](std::size_t i) {
      if (latest == no_node || place[i] > place[latest]) latest = i;
    });
    if (latest == no_node) continue;
    before.reset(latest);
    if (!is_subset(before, adjacent[latest])) return false;
  }
  return true;
}

// A shortest path through `allowed`, ends included; empty when there is none.
NodeSequence shortest_path(const BitMatrix& adjacent, std::size_t from, std::size_t to, BitSet allowed) {
  NodeSequence previous(adjacent.size(), no_node);
  NodeSequence queue{from};
  allowed.reset(from);
  for (std::size_t k = 0; k < queue.size() && previous[to] == no_node; ++k) {
    BitSet next(adjacent.size(), adjacent[queue[k]]);
    intersect(next, allowed);
    subtract(allowed, next);
    for_each(next, [&](std::size_t i) {
      previous[i] = queue[k];
      queue.push_back(i);
    });
  }
  if (previous[to] == no_node) return {};
  NodeSequence path;
  for (std::size_t i = to; i != no_node; i = previous[i]) path.push_back(i);
  return path;
}

// A chordless cycle through `node` and two adjacent nodes of it, if there is one.
NodeSequence chordless_cycle_at(const BitMatrix& adjacent, std::size_t node) {
  const std::size_t n = adjacent.size();
  const NodeSequence around = members(adjacent[node]);
  for (const std::size_t from : around)
    for (const std::size_t to : around) {
      if (from >= to || adjacent.test(from, to)) continue;
      BitSet allowed(n);
      for (std::size_t i = 0; i < n; ++i)
        if (i != node && !adjacent.test(node, i)) allowed.set(i);
      allowed.set(to);
      NodeSequence cycle = shortest_path(adjacent, from, to, std::move(allowed));
      if (cycle.empty()) continue;
      cycle.push_back(node);
      std::ranges::rotate(cycle, std::ranges::min_element(cycle));
      return cycle;
    }
  return {};
}

}  // namespace

std::optional<NodeSequence> perfect_elimination_order(const BitMatrix& adjacent) {
  NodeSequence order = maximum_cardinality_order(adjacent);
  if (!is_perfect(adjacent, order)) return std::nullopt;
  std::ranges::reverse(order);
  return order;
}

NodeSequence chordless_cycle(const BitMatrix& adjacent) {
  for (std::size_t node = 0; node < adjacent.size(); ++node)
    if (NodeSequence cycle = chordless_cycle_at(adjacent, node); !cycle.empty()) return cycle;
  return {};
}

std::optional<CliqueTree> clique_tree(const BitMatrix& adjacent) {
  const std::size_t n = adjacent.size();
  const NodeSequence order = maximum_cardinality_order(adjacent);
  if (!is_perfect(adjacent, order)) return std::nullopt;
  CliqueTree tree;
  BitSet placed(n);
  BitSet clique(n);
  std::vector<std::size_t> home(n);
  for (std::size_t k = 0; k < n; ++k) {
    BitSet before(n, adjacent[order[k]]);
    intersect(before, placed);
    placed.set(order[k]);
    // The search leaves a clique only when it is maximal (Blair and Peyton, 1993).
    if (tree.cliques.empty() || before != clique) {
      const auto latest = std::find_if(order.rend() - static_cast<std::ptrdiff_t>(k), order.rend(),
                                       [&](std::size_t i) { return before.test(i); });
      tree.parents.push_back(latest == order.rend() ? no_node : home[*latest]);
      tree.separators.push_back(members(before));
      tree.cliques.push_back(members(before));
      clique = before;
    }
    clique.set(order[k]);
    tree.cliques.back().push_back(order[k]);
    home[order[k]] = tree.cliques.size() - 1;
  }
  for (NodeSequence& nodes : tree.cliques) std::ranges::sort(nodes);
  return tree;
}

}  // namespace dagathlon
