// The second half of PC: colliders from separating sets, then Meek's rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "dagathlon/bits.hpp"
#include "dagathlon/marked_graph.hpp"
#include "dagathlon/meek.hpp"
#include "dagathlon/skeleton.hpp"

namespace dagathlon {

// Edges that an algorithm directs step by step. Unlike `Pdag` it allows a later step to overturn or
// to contradict an earlier one, as PC does on data whose tests contradict each other.
class Orientation {
 public:
  explicit Orientation(const BitMatrix& adjacent);

  std::size_t size() const { return adjacent_.size(); }
  bool adjacent(std::size_t a, std::size_t b) const { return adjacent_.test(a, b); }
  bool undirected(std::size_t a, std::size_t b) const { return out_.test(a, b) && out_.test(b, a); }
  bool directed(std::size_t from, std::size_t to) const { return out_.test(from, to) && !out_.test(to, from); }
  bool conflicting(std::size_t a, std::size_t b) const { return adjacent(a, b) && !out_.test(a, b) && !out_.test(b, a); }
  // Directed or undirected, from one node to the other.
  bool leaves(std::size_t from, std::size_t to) const { return out_.test(from, to); }

  void direct(std::size_t from, std::size_t to) {
    out_.set(from, to);
    out_.reset(to, from);
  }
  void mark_conflict(std::size_t a, std::size_t b) {
    out_.reset(a, b);
    out_.reset(b, a);
  }
  // Directs an edge; one that was directed the other way becomes a conflict.
  void direct_or_conflict(std::size_t from, std::size_t to) {
    if (out_.test(from, to)) direct(from, to);
    else mark_conflict(from, to);
  }

  const BitMatrix& adjacency() const { return adjacent_; }
  BitSet parents(std::size_t node) const;
  BitSet neighbours(std::size_t node) const;
  bool operator==(const Orientation&) const = default;

  // Conflicts become bidirected edges.
  MarkedGraph graph() const;

 private:
  BitMatrix adjacent_;
  BitMatrix out_;
};

// x – collider? – y with x and y not adjacent and x < y.
using Triple = std::array<std::size_t, 3>;
std::vector<Triple> unshielded_triples(const BitMatrix& adjacent);

// Triples whose middle node is neither surely a collider nor surely none; kept with the lower end
// first.
using AmbiguousTriples = std::set<Triple>;
bool is_ambiguous(const AmbiguousTriples& triples, std::size_t a, std::size_t b, std::size_t c);

enum class ColliderRule : std::uint8_t { conservative, majority };

// Tries all sets of neighbours of the ends of every unshielded triple. Where the middle node is
// (mostly) in none or in all of the sets that separate, the separating sets are changed to say so;
// the other triples are returned.
AmbiguousTriples check_triples(IndependenceTest& test, Skeleton& skeleton, const SkeletonOptions& options,
                               ColliderRule rule);

// Directs colliders in the order of the nodes; a later one overturns an earlier one, or makes a
// conflict.
void orient_colliders(Orientation& graph, const SeparatingSets& separating, const AmbiguousTriples& ambiguous,
                      bool mark_conflicts);

// Meek's rules 1 to 3 by turns, each over all edges, until nothing changes. With `mark_conflicts` a
// rule sees the edges as they were when its turn began, and contradictions become conflicts.
void apply_rules(Orientation& graph, const AmbiguousTriples& ambiguous, bool mark_conflicts);

}  // namespace dagathlon
