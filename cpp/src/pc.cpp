#include "dagathlon/pc.hpp"

#include <algorithm>

namespace dagathlon {

Orientation::Orientation(const BitMatrix& adjacent) : adjacent_(adjacent), out_(adjacent) {}

BitSet Orientation::parents(std::size_t node) const {
  BitSet result(size());
  for_each(adjacent_[node], [&](std::size_t other) {
    if (directed(other, node)) result.set(other);
  });
  return result;
}

BitSet Orientation::neighbours(std::size_t node) const {
  BitSet result(size());
  for_each(adjacent_[node], [&](std::size_t other) {
    if (undirected(other, node)) result.set(other);
  });
  return result;
}

MarkedGraph Orientation::graph() const {
  MarkedGraph result(size());
  for (std::size_t a = 0; a < size(); ++a)
    for_each(adjacent_[a], [&](std::size_t b) {
      if (b < a) return;
      if (undirected(a, b)) result.set_undirected(a, b);
      else if (directed(a, b)) result.set_directed(a, b);
      else if (directed(b, a)) result.set_directed(b, a);
      else result.set_edge(a, Mark::arrow, b, Mark::arrow);
    });
  return result;
}

std::vector<Triple> unshielded_triples(const BitMatrix& adjacent) {
  std::vector<Triple> triples;
  for (std::size_t b = 0; b < adjacent.size(); ++b)
    for_each(adjacent[b], [&](std::size_t a) {
      for_each(adjacent[b], [&](std::size_t c) {
        if (a < c && !adjacent.test(a, c)) triples.push_back({a, b, c});
      });
    });
  return triples;
}

bool is_ambiguous(const AmbiguousTriples& triples, std::size_t a, std::size_t b, std::size_t c) {
  return !triples.empty() && triples.contains({std::min(a, c), b, std::max(a, c)});
}

void orient_colliders(Orientation& graph, const SeparatingSets& separating, const AmbiguousTriples& ambiguous,
                      bool mark_conflicts) {
  for (std::size_t y = 0; y < graph.size(); ++y)
    for_each(graph.adjacency()[y], [&](std::size_t x) {
      for_each(graph.adjacency()[y], [&](std::size_t z) {
        if (z == x || graph.adjacent(x, z) || (!mark_conflicts && !graph.leaves(y, z))) return;
        if (separating.contains(x, z, y) || is_ambiguous(ambiguous, x, y, z)) return;
        if (mark_conflicts) {
          graph.direct_or_conflict(x, y);
          graph.direct_or_conflict(z, y);
        } else {
          graph.direct(x, y);
          graph.direct(z, y);
        }
      });
    });
}

namespace {

class RuleTurns {
 public:
  RuleTurns(Orientation& graph, const AmbiguousTriples& ambiguous, bool mark_conflicts)
      : graph_(graph), seen_(graph), ambiguous_(ambiguous), mark_conflicts_(mark_conflicts) {}

  void run() {
    while (true) {
      const Orientation before = graph_;
      rule1();
      rule2();
      rule3();
      if (graph_ == before) return;
    }
  }

 private:
  // Without conflicts every change is seen at once.
  const Orientation& seen() const { return mark_conflicts_ ? seen_ : graph_; }

  void direct(std::size_t from, std::size_t to) {
    if (mark_conflicts_) graph_.direct_or_conflict(from, to);
    else graph_.direct(from, to);
  }

  // Calls visit(a, b) for the edges a → b, or a – b in both directions, that there are now, in the
  // order of b, then a.
  template <class Visit>
  void edges(bool directed, Visit&& visit) {
    if (mark_conflicts_) seen_ = graph_;
    const Orientation start = graph_;
    for (std::size_t b = 0; b < graph_.size(); ++b)
      for_each(start.adjacency()[b], [&](std::size_t a) {
        if (directed ? start.directed(a, b) : start.undirected(a, b)) visit(a, b);
      });
  }

  // a → b – c with a and c not adjacent: b → c.
  void rule1() {
    edges(true, [&](std::size_t a, std::size_t b) {
      const BitSet neighbours = seen().neighbours(b);
      for_each(neighbours, [&](std::size_t c) {
        if (c != a && !graph_.adjacent(a, c) && !is_ambiguous(ambiguous_, a, b, c)) direct(b, c);
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

  Orientation& graph_;
  Orientation seen_;
  const AmbiguousTriples& ambiguous_;
  bool mark_conflicts_;
};

}  // namespace

void apply_rules(Orientation& graph, const AmbiguousTriples& ambiguous, bool mark_conflicts) {
  RuleTurns(graph, ambiguous, mark_conflicts).run();
}

}  // namespace dagathlon
