#include "dagathlon/orientation.hpp"

#include <utility>
#include <vector>

#include "dagathlon/pulse.hpp"
#include "dagathlon/uncovered.hpp"

namespace dagathlon {

namespace {

using Edge = std::pair<std::size_t, std::size_t>;

// Greek letters of the published rules are spelled out; "a *-o b" has a circle at b.
class Orienter {
 public:
  Orienter(MarkedGraph& graph, const SeparatorLookup& in_separating_set, const OrientationOptions& options)
      : g_(graph), in_separating_set_(in_separating_set), options_(options), adjacent_(graph.adjacency_rows()) {}

  bool run() {
    using Step = bool (Orienter::*)();
    static constexpr std::pair<unsigned, Step> early[] = {
        {1, &Orienter::away_from_arrow},
        {2, &Orienter::away_from_cycle},
        {3, &Orienter::double_triangle},
        {4, &Orienter::discriminate},
    };
    static constexpr std::pair<unsigned, Step> late[] = {
        {5, &Orienter::uncovered_circle_cycle}, {6, &Orienter::beside_undirected},
        {7, &Orienter::beside_tail},            {8, &Orienter::transitive_tail},
        {9, &Orienter::uncovered_to_child},     {10, &Orienter::two_uncovered_ways},
    };
    const auto pass = [&](auto& steps) {
      bool changed = false;
      for (const auto& [k, step] : steps)
        if (!stopped_ && (options_.rules & rule(k)) != 0) changed |= (this->*step)();
      return changed && !stopped_;
    };
    // Arrows first: the later rules rely on all of them being there.
    do {
      while (pass(early)) {
      }
    } while (!stopped_ && pass(late));
    return !stopped_;
  }

  void colliders() {
    for (std::size_t b = 0; b < g_.size(); ++b)
      for_each(adjacent_[b], [&](std::size_t a) {
        BitSet others(g_.size(), adjacent_[b]);
        subtract(others, adjacent_[a]);
        others.reset(a);
        for_each(others, [&](std::size_t c) {
          if (a < c && !in_separating_set_(a, b, c)) {
            put(a, b, Mark::arrow);
            put(c, b, Mark::arrow);
          }
        });
      });
  }

 private:
  // Replaces a circle at b on a–b; other marks stay.
  bool put(std::size_t a, std::size_t b, Mark at_b) {
    if (g_.mark(a, b) != Mark::circle) return false;
    g_.set_edge(a, g_.mark(b, a), b, at_b);
    return true;
  }
  bool put_directed(std::size_t a, std::size_t b) {
    const bool tail = put(b, a, Mark::tail);
    return put(a, b, Mark::arrow) || tail;
  }

  // All pairs (a, b) with this mark at b.
  std::vector<Edge> ends(Mark at_b) const {
    std::vector<Edge> result;
    for (std::size_t a = 0; a < g_.size(); ++a)
      for_each(g_.at_far_end(at_b, a), [&](std::size_t b) { result.emplace_back(a, b); });
    return result;
  }

  BitSet common(ConstRow a, ConstRow b) const {
    BitSet result(g_.size(), a);
    intersect(result, b);
    return result;
  }

  // Members of `nodes` that are neither a nor adjacent to a.
  BitSet unlinked(BitSet nodes, std::size_t a) const {
    subtract(nodes, adjacent_[a]);
    nodes.reset(a);
    return nodes;
  }

  bool is_ambiguous(std::size_t a, std::size_t b, std::size_t c) const {
    return options_.ambiguous && options_.ambiguous(a, b, c);
  }

  // Members of `nodes` that make an unshielded triple a–b–c which is known to be no collider.
  BitSet unlinked_over(const BitSet& nodes, std::size_t a, std::size_t b) const {
    BitSet result = unlinked(nodes, a);
    if (options_.ambiguous)
      for_each(BitSet(result), [&](std::size_t c) {
        if (is_ambiguous(a, b, c)) result.reset(c);
      });
    return result;
  }

  // Whether two members of `nodes` make such a triple with b between them.
  bool has_unlinked_pair(const BitSet& nodes, std::size_t b) const {
    bool found = false;
    for_each(nodes, [&](std::size_t a) { found = found || any(unlinked_over(nodes, a, b).row()); });
    return found;
  }

  // Rule 1: a *-> b o-* c, a and c not adjacent: b -> c.
  bool away_from_arrow() {
    bool changed = false;
    for (const auto& [a, b] : ends(Mark::arrow)) {
      const BitSet open(g_.size(), g_.at_near_end(Mark::circle, b));
      for_each(unlinked_over(open, a, b), [&, b = b](std::size_t c) { changed |= put_directed(b, c); });
    }
    return changed;
  }

  // Rule 2: a -> b *-> c or a *-> b -> c, and a *-o c: a *-> c.
  bool away_from_cycle() {
    bool changed = false;
    for (const auto& [a, c] : ends(Mark::circle))
      if (intersects(g_.children(a), g_.at_near_end(Mark::arrow, c)) ||
          intersects(g_.at_far_end(Mark::arrow, a), g_.parents(c)))
        changed |= put(a, c, Mark::arrow);
    return changed;
  }

  // Rule 3: a *-> b <-* c, a *-o d o-* c, a and c not adjacent, d *-o b: d *-> b.
  bool double_triangle() {
    bool changed = false;
    for (const auto& [d, b] : ends(Mark::circle))
      if (has_unlinked_pair(common(g_.at_near_end(Mark::arrow, b), g_.at_near_end(Mark::circle, d)), d))
        changed |= put(d, b, Mark::arrow);
    return changed;
  }

  // Rule 4: a path d, …, a, b, c with b o-* c, d and c not adjacent, and every node between d and b
  // a collider on it and a parent of c: b -> c if b separated d and c, else a <-> b <-> c.
  bool discriminate() {
    bool changed = false;
    for (const auto& [c, b] : ends(Mark::circle))
      for_each(common(g_.at_far_end(Mark::arrow, b), g_.parents(c)), [&, c = c, b = b](std::size_t a) {
        if (stopped_ || g_.mark(c, b) != Mark::circle) return;
        const std::vector<std::size_t> path = discriminating_path(a, b, c);
        if (path.empty()) return;
        stopped_ = options_.confirm_path && !options_.confirm_path(path);
        if (stopped_) return;
        changed = true;
        if (options_.separates_ends ? options_.separates_ends(path) : in_separating_set_(path.front(), b, c)) {
          put_directed(b, c);
        } else {
          put(c, b, Mark::arrow);
          put(b, c, Mark::arrow);
          put(a, b, Mark::arrow);
        }
      });
    return changed;
  }

  // A shortest discriminating path d, …, a, b, c; empty for none.
  std::vector<std::size_t> discriminating_path(std::size_t a, std::size_t b, std::size_t c) const {
    pulse::beat();
    const BitSet parents = g_.parents(c);
    BitSet seen(g_.size());
    std::vector<Edge> queue{{a, no_node}};  // a node, and the place of the one before it
    seen.set(a);
    seen.set(b);
    seen.set(c);
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const std::size_t v = queue[k].first;
      const BitSet into(g_.size(), g_.at_near_end(Mark::arrow, v));
      if (const std::size_t d = first(unlinked(into, c)); d != no_node) {
        std::vector<std::size_t> path{d};
        for (std::size_t place = k; place != no_node; place = queue[place].second) path.push_back(queue[place].first);
        path.insert(path.end(), {b, c});
        return path;
      }
      BitSet next = common(g_.spouses(v), parents);
      subtract(next, seen);
      unite(seen, next);
      for_each(next, [&](std::size_t w) { queue.emplace_back(w, k); });
    }
    return {};
  }

  // Rule 5: an uncovered cycle of o-o edges: all of them are undirected.
  bool uncovered_circle_cycle() {
    const BitMatrix circles = circle_rows(g_);
    UncoveredWalks walks(circles, adjacent_, options_.ambiguous);
    std::vector<Edge> found;
    for (std::size_t a = 0; a < g_.size(); ++a)
      for_each(circles[a], [&](std::size_t b) {
        if (a < b && walks.any(a, b, [&](std::size_t v, std::size_t w) { return v == a && w == b; }))
          found.emplace_back(a, b);
      });
    for (const auto& [a, b] : found) g_.set_undirected(a, b);
    return !found.empty();
  }

  // Rule 6: a - b o-* c: a tail at b.
  bool beside_undirected() {
    bool changed = false;
    for (const auto& [c, b] : ends(Mark::circle))
      if (any(g_.neighbours(b).row())) changed |= put(c, b, Mark::tail);
    return changed;
  }

  // Rule 7: a -o b o-* c, a and c not adjacent: a tail at b.
  bool beside_tail() {
    bool changed = false;
    for (const auto& [c, b] : ends(Mark::circle)) {
      const BitSet tails = common(g_.at_far_end(Mark::tail, b), g_.at_near_end(Mark::circle, b));
      if (any(unlinked_over(tails, c, b).row())) changed |= put(c, b, Mark::tail);
    }
    return changed;
  }

  // All pairs a o-> c.
  std::vector<Edge> partly_directed() const {
    std::vector<Edge> result;
    for (const auto& [c, a] : ends(Mark::circle))
      if (g_.mark(a, c) == Mark::arrow) result.emplace_back(a, c);
    return result;
  }

  // Rule 8: a -> b -> c or a -o b -> c, and a o-> c: a -> c.
  bool transitive_tail() {
    bool changed = false;
    for (const auto& [a, c] : partly_directed()) {
      BitSet between = common(g_.at_near_end(Mark::tail, a), g_.parents(c));
      subtract(between, g_.at_far_end(Mark::tail, a));
      if (any(between.row())) changed |= put(c, a, Mark::tail);
    }
    return changed;
  }

  // Row a: the nodes b such that a–b could still be a -> b.
  BitMatrix potential_children() const {
    BitMatrix rows = adjacent_;
    for (std::size_t a = 0; a < g_.size(); ++a) {
      subtract(rows[a], g_.at_near_end(Mark::arrow, a));
      subtract(rows[a], g_.at_far_end(Mark::tail, a));
    }
    return rows;
  }

  // Rule 9: a o-> c and an uncovered potentially directed path a, b, …, c with b and c not
  // adjacent: a -> c.
  bool uncovered_to_child() {
    const BitMatrix step = potential_children();
    UncoveredWalks walks(step, adjacent_, options_.ambiguous);
    bool changed = false;
    for (const auto& [a, c] : partly_directed()) {
      const auto arrives = [c = c](std::size_t, std::size_t w) { return w == c; };
      bool found = false;
      for_each(unlinked_over(BitSet(g_.size(), step[a]), c, a),
               [&, a = a](std::size_t b) { found = found || walks.any(a, b, arrives); });
      if (found) changed |= put(c, a, Mark::tail);
    }
    return changed;
  }

  // Rule 10: a o-> c, and uncovered potentially directed paths from a to parents of c that begin
  // with two nodes that are not adjacent: a -> c.
  bool two_uncovered_ways() {
    const BitMatrix step = potential_children();
    UncoveredWalks walks(step, adjacent_, options_.ambiguous);
    bool changed = false;
    for (const auto& [a, c] : partly_directed()) {
      const BitSet parents = g_.parents(c);
      const auto arrives = [&](std::size_t, std::size_t w) { return parents.test(w); };
      BitSet beginnings(g_.size());
      for_each(step[a], [&, a = a, c = c](std::size_t b) {
        if (b != c && (parents.test(b) || walks.any(a, b, arrives))) beginnings.set(b);
      });
      if (has_unlinked_pair(beginnings, a)) changed |= put(c, a, Mark::tail);
    }
    return changed;
  }

  MarkedGraph& g_;
  const SeparatorLookup& in_separating_set_;
  const OrientationOptions& options_;
  const BitMatrix adjacent_;
  bool stopped_ = false;
};

}  // namespace

MarkedGraph all_circles(const MarkedGraph& graph) {
  MarkedGraph result(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i)
    for_each(graph.adjacencies(i), [&](std::size_t j) {
      if (i < j) result.set_edge(i, Mark::circle, j, Mark::circle);
    });
  return result;
}

BitMatrix circle_rows(const MarkedGraph& graph) {
  BitMatrix rows(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    unite(rows[i], graph.at_far_end(Mark::circle, i));
    intersect(rows[i], graph.at_near_end(Mark::circle, i));
  }
  return rows;
}

void orient_colliders(MarkedGraph& graph, const SeparatorLookup& in_separating_set) {
  const OrientationOptions options;
  Orienter(graph, in_separating_set, options).colliders();
}

bool orient(MarkedGraph& graph, const SeparatorLookup& in_separating_set, const OrientationOptions& options) {
  return Orienter(graph, in_separating_set, options).run();
}

}  // namespace dagathlon
