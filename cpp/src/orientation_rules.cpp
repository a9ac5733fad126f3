#include <algorithm>
#include <utility>
#include <vector>

#include "dagathlon/colliders.hpp"

namespace dagathlon {

namespace {

class RuleTurns {
 public:
  RuleTurns(OrientationState& graph, const AmbiguousTriples& ambiguous, const RuleOptions& options)
      : graph_(graph), seen_(graph), ambiguous_(ambiguous), options_(options) {}

  void run() {
    while (true) {
      const OrientationState before = graph_;
      if (options_.no_new_colliders) follow_paths();
      rule1();
      if (!options_.no_new_colliders) rule2();
      rule3();
      if (options_.fourth) rule4();
      direct_pending();
      if (graph_ == before) return;
    }
  }

 private:
  // Without conflicts every change is seen at once.
  const OrientationState& seen() const { return options_.mark_conflicts ? seen_ : graph_; }

  void direct(std::size_t from, std::size_t to) {
    if (options_.no_new_colliders) {
      if (!makes_collider(from, to)) pending_.emplace_back(from, to);
      return;
    }
    if (options_.acyclic && graph_.reaches(to, from)) return;
    if (options_.mark_conflicts) graph_.direct_or_conflict(from, to);
    else graph_.direct(from, to);
  }

  bool makes_collider(std::size_t from, std::size_t to) const {
    BitSet others = graph_.parents(to);
    subtract(others, graph_.adjacency()[from]);
    others.reset(from);
    return any(others);
  }

  void direct_pending() {
    std::ranges::sort(pending_);
    for (const auto& [from, to] : pending_)
      if (graph_.undirected(from, to) && !graph_.reaches(to, from)) graph_.direct(from, to);
    pending_.clear();
  }

  // a – b with a directed path from a to b: a → b.
  void follow_paths() {
    for (std::size_t a = 0; a < graph_.size(); ++a)
      for_each(BitSet(graph_.neighbours(a)), [&](std::size_t b) {
        if (graph_.reaches(a, b) && !makes_collider(a, b) && !graph_.reaches(b, a)) graph_.direct(a, b);
      });
  }

  // Calls visit(a, b) for the edges a → b, or a – b in both directions, that there are now, in the
  // order of b, then a.
  template <class Visit>
  void edges(bool directed, Visit&& visit) {
    if (options_.mark_conflicts) seen_ = graph_;
    const OrientationState start = graph_;
    for (std::size_t b = 0; b < graph_.size(); ++b)
      for_each(start.adjacency()[b], [&](std::size_t a) {
        if (directed ? start.directed(a, b) : start.undirected(a, b)) visit(a, b);
      });
  }

  // a → b – c with a and c not adjacent: b → c.
  void rule1() {
    edges(true, [&](std::size_t a, std::size_t b) {
      BitSet ends = seen().neighbours(b);
      subtract(ends, graph_.adjacency()[a]);
      ends.reset(a);
      for_each(ends, [&](std::size_t c) {
        if (!is_ambiguous(ambiguous_, a, b, c)) direct(b, c);
      });
    });
  }

  // a → c → b with a – b: a → b.
  void rule2() {
    edges(false, [&](std::size_t a, std::size_t b) {
      bool chain = false;
      for_each(graph_.adjacency()[a],
               [&](std::size_t c) { chain = chain || (seen().directed(a, c) && seen().directed(c, b)); });
      if (chain) direct(a, b);
    });
  }

  // c → b ← d with a – c, a – d, a – b and c, d not adjacent: a → b.
  void rule3() {
    edges(false, [&](std::size_t a, std::size_t b) {
      BitSet between = seen().neighbours(a);
      intersect(between, seen().parents(b));
      bool found = false;
      for_each(between, [&](std::size_t c) {
        for_each(between, [&](std::size_t d) {
          found = found || (c < d && !graph_.adjacent(c, d) && !is_ambiguous(ambiguous_, c, a, d));
        });
      });
      if (found) direct(a, b);
    });
  }

  // a – d → c → b with a adjacent to c, and b not to d: a → b.
  void rule4() {
    edges(false, [&](std::size_t a, std::size_t b) {
      BitSet starts = seen().neighbours(a);
      subtract(starts, graph_.adjacency()[b]);
      starts.reset(b);
      BitSet middles = seen().parents(b);
      intersect(middles, graph_.adjacency()[a]);
      bool found = false;
      for_each(starts, [&](std::size_t d) {
        for_each(middles, [&](std::size_t c) { found = found || seen().directed(d, c); });
      });
      if (found) direct(a, b);
    });
  }

  OrientationState& graph_;
  OrientationState seen_;
  const AmbiguousTriples& ambiguous_;
  RuleOptions options_;
  std::vector<std::pair<std::size_t, std::size_t>> pending_;
};

}  // namespace

void apply_rules(OrientationState& graph, const AmbiguousTriples& ambiguous, const RuleOptions& options) {
  RuleTurns(graph, ambiguous, options).run();
}

}  // namespace dagathlon
