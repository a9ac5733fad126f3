// The moves of a greedy search over DAGs, with what each would gain.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dagathlon/graph/acyclic_rows.hpp"
#include "dagathlon/graph/bits.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

enum class Change { add, remove, reverse };

// The arc is named as it stands before the move.
struct Move {
  Change change;
  std::size_t from;
  std::size_t to;
  double gain;
};

struct SearchLimits {
  // Row i: nodes j such that the arc i → j is forbidden or required.
  BitMatrix forbidden;
  BitMatrix required;
  std::size_t max_parents;
};

// Gains closer than this are equal: equivalent arcs differ by rounding only, and the first in order
// is to win. (Square root of the precision of a double.)
inline constexpr double tie_tolerance = 1.490116119384766e-08;

// A DAG and, for each pair of nodes, the gain of adding or removing the arc between them. A move
// changes the gains into one or two nodes only, and only those are computed again.
class ArcMoves {
 public:
  ArcMoves(Score& score, const SearchLimits& limits, const MarkedGraph& start);

  const AcyclicRows& dag() const { return dag_; }
  double score() const;
  std::size_t evaluations() const { return evaluations_; }

  // The move to make: additions, removals, reversals, each by the arc's start and then its end; a
  // later one is taken only if it gains more by the tolerance. Moves that gain no more than
  // `baseline` and the moves `banned` are left out.
  std::optional<Move> best(double baseline, const std::vector<Move>& banned = {}) const;

  bool allowed(const Move& move) const;
  void make(const Move& move);

 private:
  struct Best {
    std::size_t from = no_node;
    double gain = 0;
  };
  // An arc of the DAG with what its changes would gain.
  struct Arc {
    std::size_t from;
    std::size_t to;
    double removal;
    double reversal;
  };

  double gain(std::size_t from, std::size_t to) const { return gains_[to * dag_.size() + from]; }
  void rescore(std::size_t child);
  // The same by a thread's own score, without counting.
  void rescore(std::size_t child, Score& score);
  void join(std::size_t from, std::size_t to);
  void part(std::size_t from, std::size_t to);
  // Takes over the gains of the arcs at a node whose gains are new.
  void refresh_arcs(std::size_t node);
  // Nodes from which an arc into `child` may be added now.
  BitSet candidates(std::size_t child) const;
  Best best_addition(std::size_t child, const std::vector<Move>& banned) const;
  void refresh(std::size_t child) { best_[child] = best_addition(child, {}); }
  // Removals and reversals that gain about as much as `top`, or more.
  std::vector<Move> changes_of_arcs(const std::vector<Move>& banned, double top) const;
  void collect_additions(double above, const std::vector<Move>& banned, std::vector<Move>& moves) const;

  Score& score_;
  const SearchLimits& limits_;
  AcyclicRows dag_;
  BitMatrix allowed_into_;
  std::vector<double> terms_;
  std::vector<double> gains_;
  std::vector<Best> best_;
  // In no order: a step looks at all of them.
  std::vector<Arc> arcs_;
  std::size_t evaluations_ = 0;
};

}  // namespace dagathlon
