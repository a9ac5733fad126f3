#include "dagathlon/graph/orientation_rules.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// What a rule looks at.
struct View {
  const OrientationState& graph;
  const AmbiguousTriples& ambiguous;

  // Whether a path of two edges over a middle that is no collider for sure joins the ends, and no edge.
  bool passes(std::size_t end, std::size_t middle, std::size_t other) const {
    return end != other && !graph.adjacent(end, other) && !is_ambiguous(ambiguous, end, middle, other);
  }
};

// Whether an undirected edge has to lead from one end to the other.
using Rule = bool (*)(const View& view, std::size_t from, std::size_t to);

// c → from – to: the other direction would make a collider of what is none.
bool away_from_collider(const View& view, std::size_t from, std::size_t to) {
  return std::ranges::any_of(view.graph.around(from),
                             [&](std::size_t c) { return view.graph.directed(c, from) && view.passes(c, from, to); });
}

// from → c → to: the other direction would close a cycle.
bool along_two_arrows(const View& view, std::size_t from, std::size_t to) {
  return std::ranges::any_of(view.graph.around(to),
                             [&](std::size_t c) { return view.graph.directed(c, to) && view.graph.directed(from, c); });
}

// The same for a path of any length.
bool along_a_path(const View& view, std::size_t from, std::size_t to) { return view.graph.reaches(from, to); }

// from – c → to and from – d → to: the other direction would direct c and d both into `from`.
bool towards_collider(const View& view, std::size_t from, std::size_t to) {
  const auto between = [&](std::size_t c) { return view.graph.undirected(from, c) && view.graph.directed(c, to); };
  return std::ranges::any_of(view.graph.around(from), [&](std::size_t c) {
    return between(c) && std::ranges::any_of(view.graph.around(from),
                                             [&](std::size_t d) { return between(d) && view.passes(c, from, d); });
  });
}

// from – d → c → to with an edge of any kind between `from` and c: the other direction would lead on to d,
// and so around in a circle.
bool before_a_chain(const View& view, std::size_t from, std::size_t to) {
  const auto inner = [&](std::size_t d, std::size_t c) {
    return view.graph.directed(d, c) && view.graph.directed(c, to) && view.graph.adjacent(from, c);
  };
  return std::ranges::any_of(view.graph.around(from), [&](std::size_t d) {
    return view.graph.undirected(from, d) && view.passes(d, from, to) &&
           std::ranges::any_of(view.graph.around(d), [&](std::size_t c) { return inner(d, c); });
  });
}

// Rules that look at the graph together: as it was before the first of their proposals was taken up, or
// as it is now.
enum class Sight : std::uint8_t { before, now };
struct Turn {
  Sight sight;
  std::vector<Rule> rules;
};
using Table = std::vector<Turn>;

Table table_of(const RuleOptions& options) {
  const Sight usual = options.mark_conflicts ? Sight::before : Sight::now;
  Table table;
  if (options.no_new_colliders)
    table = {{usual, {along_a_path}}, {Sight::before, {away_from_collider, towards_collider}}};
  else
    table = {{Sight::before, {away_from_collider}}, {usual, {along_two_arrows}}, {Sight::before, {towards_collider}}};
  if (options.fourth) table.back().rules.push_back(before_a_chain);
  return table;
}

// Takes proposals up, one after the other.
class Policy {
 public:
  Policy(OrientationState& graph, const RuleOptions& options)
      : graph_(graph), options_(options), claims_(options.mark_conflicts ? graph.size() : 0) {}

  // Whether a proposal may be made in sight of a graph.
  bool admits(const OrientationState& seen, std::size_t from, std::size_t to) const {
    if (!options_.no_new_colliders) return true;
    return std::ranges::none_of(
        seen.around(to), [&](std::size_t other) { return seen.directed(other, to) && !seen.adjacent(other, from); });
  }

  void take(std::size_t from, std::size_t to) {
    if (options_.mark_conflicts) claims_.set(from, to);
    else if (graph_.undirected(from, to) && !closes_cycle(from, to)) graph_.direct(from, to);
  }

  void end_turn() {
    if (!options_.mark_conflicts) return;
    graph_.direct_as_claimed(claims_);
    claims_ = BitMatrix(graph_.size());
  }

 private:
  bool closes_cycle(std::size_t from, std::size_t to) const { return options_.acyclic && graph_.reaches(to, from); }

  OrientationState& graph_;
  const RuleOptions& options_;
  BitMatrix claims_;
};

void take_turn(const Turn& turn, const View& view, Policy& policy) {
  for (std::size_t from = 0; from < view.graph.size(); ++from)
    for (const std::size_t to : view.graph.around(from)) {
      if (!view.graph.undirected(from, to)) continue;
      pulse::beat();
      const auto applies = [&](Rule rule) { return rule(view, from, to); };
      if (std::ranges::any_of(turn.rules, applies) && policy.admits(view.graph, from, to)) policy.take(from, to);
    }
  policy.end_turn();
}

}  // namespace

void apply_rules(OrientationState& graph, const AmbiguousTriples& ambiguous, const RuleOptions& options) {
  const Table table = table_of(options);
  Policy policy(graph, options);
  for (bool changed = true; changed;) {
    const OrientationState start = graph;
    for (const Turn& turn : table) {
      if (turn.sight == Sight::now) {
        take_turn(turn, {graph, ambiguous}, policy);
        continue;
      }
      const OrientationState before = graph;
      take_turn(turn, {before, ambiguous}, policy);
    }
    changed = !(graph == start);
  }
}

}  // namespace dagathlon
