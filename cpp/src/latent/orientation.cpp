#include "dagathlon/latent/orientation.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "dagathlon/run/pulse.hpp"
#include "dagathlon/latent/uncovered.hpp"

namespace dagathlon {

namespace {

using Edge = std::pair<std::size_t, std::size_t>;

// Greek letters of the published rules are spelled out; "a *-o b" has a circle at b.
class Orienter {
 public:
  Orienter(MarkedGraph& graph, const SeparatorLookup& in_separating_set, const OrientationOptions& options)
      : g_(graph), in_separating_set_(in_separating_set), options_(options), adjacent_(graph.adjacency_rows()) {}

  void run() {
    switch (options_.turns) {
      case RuleTurns::arrows_first:
        do until_unchanged(1, 4);
        while (pass(5, 10));
        return;
      case RuleTurns::in_groups:
        until_unchanged(1, 4);
        until_unchanged(5, 7);
        return until_unchanged(8, 10);
      case RuleTurns::all: return until_unchanged(1, 10);
    }
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
  // One turn of the rules from a first to a last one; whether any changed the graph.
  bool pass(unsigned from, unsigned to) {
    using Step = bool (Orienter::*)();
    static constexpr Step steps[] = {
        &Orienter::away_from_arrow,    &Orienter::away_from_cycle,        &Orienter::double_triangle,
        &Orienter::discriminate,       &Orienter::uncovered_circle_cycle, &Orienter::beside_undirected,
        &Orienter::beside_tail,        &Orienter::transitive_tail,        &Orienter::uncovered_to_child,
        &Orienter::two_uncovered_ways,
    };
    bool changed = false;
    for (unsigned k = from; k <= to; ++k) {
      const Step step = steps[k - 1];  // as a copy, since GCC 12's sanitizer misreads a call through an element
      if ((options_.rules & rule(k)) != 0) changed |= (this->*step)();
    }
    return changed;
  }
  void until_unchanged(unsigned from, unsigned to) {
    while (pass(from, to)) {
    }
  }

  // Replaces a circle at b on a–b; other marks stay.
  bool put(std::size_t a, std::size_t b, Mark at_b) {
    if (g_.mark(a, b) != Mark::circle) return false;
    g_.set_edge(a, g_.mark(b, a), b, at_b);
    return true;
  }
  // The same for any mark that may be replaced.
  void put_over(std::size_t a, std::size_t b, Mark at_b) {
    const bool known = options_.known.size() > 0 && options_.known.test(a, b);
    if (options_.as_pcalg && !known) g_.set_edge(a, g_.mark(b, a), b, at_b);
    else put(a, b, at_b);
  }
  // For a circle at a.
  void put_directed(std::size_t a, std::size_t b) {
    put(b, a, Mark::tail);
    put_over(a, b, Mark::arrow);
  }

  // The same pairs in the order of the rules of pcalg that visit the marked node first.
  std::vector<Edge> ends_by_mark(Mark at_b) const {
    std::vector<Edge> result = ends(at_b);
    if (options_.as_pcalg) std::ranges::stable_sort(result, {}, &Edge::second);
    return result;
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
    for (const auto& [a, b] : ends_by_mark(Mark::arrow)) {
      const BitSet open(g_.size(), g_.at_near_end(Mark::circle, b));
      for_each(unlinked_over(open, a, b), [&, b = b](std::size_t c) {
        put_directed(b, c);
        changed = true;
      });
    }
    return changed;
  }

  // Rule 2: a -> b *-> c or a *-> b -> c, and a *-o c: a *-> c.
  bool away_from_cycle() {
    bool changed = false;
    for (const auto& [a, c] : ends_by_mark(Mark::circle))
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
        const std::vector<std::size_t> path = confirmed_path(a, b, c, changed);
        if (path.empty()) return;
        changed = true;
        if (options_.separates_ends ? options_.separates_ends(path) : in_separating_set_(path.front(), b, c)) {
          put_directed(b, c);
        } else {
          put(c, b, Mark::arrow);
          put_over(b, c, Mark::arrow);
          put_over(a, b, Mark::arrow);
        }
      });
    return changed;
  }

  // A discriminating path d, …, a, b, c for a circle at b, where paths that are not confirmed change the graph; empty
  // for none.
  std::vector<std::size_t> confirmed_path(std::size_t a, std::size_t b, std::size_t c, bool& changed) {
    while (g_.mark(c, b) == Mark::circle && g_.adjacent(a, b) && g_.adjacent(a, c)) {
      std::vector<std::size_t> path = discriminating_path(a, b, c);
      if (path.empty() || !options_.confirm_path || options_.confirm_path(path)) return path;
      adjacent_ = g_.adjacency_rows();
      changed = true;
    }
    return {};
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
  BitMatrix adjacent_;
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

void orient(MarkedGraph& graph, const SeparatorLookup& in_separating_set, const OrientationOptions& options) {
  Orienter(graph, in_separating_set, options).run();
}

}  // namespace dagathlon
