// Edges that a constraint-based learner directs step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/graph/neighbour_lists.hpp"

namespace dagathlon {

// Unlike `Pdag` it allows a later step to overturn or to contradict an earlier one, as happens on data
// whose tests contradict each other. Edges that knowledge directs are locked: no step changes them.
class OrientationState {
 public:
  explicit OrientationState(const BitMatrix& adjacent)
      : skeleton_(std::make_shared<const Skeleton>(Skeleton{adjacent, NeighbourLists(adjacent)})),
        out_(adjacent),
        children_(skeleton_->lists, adjacent.size()),
        parents_(skeleton_->lists, adjacent.size()),
        below_(adjacent.size()),
        above_(adjacent.size()) {}

  std::size_t size() const { return out_.size(); }
  const BitMatrix& adjacency() const { return skeleton_->adjacent; }
  // The nodes that are adjacent to one, in increasing order.
  std::span<const std::uint32_t> around(std::size_t node) const { return skeleton_->lists[node]; }
  bool adjacent(std::size_t a, std::size_t b) const { return skeleton_->adjacent.test(a, b); }
  bool undirected(std::size_t a, std::size_t b) const { return out_.test(a, b) && out_.test(b, a); }
  bool directed(std::size_t from, std::size_t to) const { return out_.test(from, to) && !out_.test(to, from); }
  // Directed or undirected, from one node to the other.
  bool leaves(std::size_t from, std::size_t to) const { return out_.test(from, to); }
  bool locked(std::size_t from, std::size_t to) const { return locked_.size() > 0 && locked_.test(from, to); }

  void direct(std::size_t from, std::size_t to) {
    if (locked(to, from)) return;
    change(from, to, true);
    change(to, from, false);
  }
  // Takes the direction of an edge back, unless knowledge gave it.
  void undirect(std::size_t from, std::size_t to) {
    if (!locked(from, to)) change(to, from, true);
  }
  // Directs edges as claimed, from row to column. What is claimed both ways becomes a conflict, an edge
  // without a direction, unless knowledge gave it one.
  void direct_as_claimed(const BitMatrix& claims);
  void lock(std::size_t from, std::size_t to) {
    direct(from, to);
    if (locked_.size() == 0) locked_ = BitMatrix(size());
    locked_.set(from, to);
  }
  // Directs what knowledge leaves one direction for: from row to column, never and always.
  void lock_knowledge(const BitMatrix& forbidden, const BitMatrix& required);

  // Whether directed edges lead from one node to another.
  bool reaches(std::size_t from, std::size_t to) const;
  bool operator==(const OrientationState& other) const {
    return skeleton_ == other.skeleton_ && out_ == other.out_ && locked_ == other.locked_;
  }

  // Conflicts become bidirected edges.
  MarkedGraph graph() const;

 private:
  // What no step changes; copies share it.
  struct Skeleton {
    BitMatrix adjacent;
    NeighbourLists lists;
  };

  // Says whether an edge leaves a node for another, and keeps the lists.
  void change(std::size_t from, std::size_t to, bool leaves);

  std::shared_ptr<const Skeleton> skeleton_;
  BitMatrix out_;
  // Of each node where directed edges lead to, and where they come from.
  SomeNeighbours children_;
  SomeNeighbours parents_;
  // Of no size where knowledge directs nothing.
  BitMatrix locked_;
  // What a walk has seen from each of its ends; empty between walks.
  mutable BitSet below_;
  mutable BitSet above_;
};

}  // namespace dagathlon
