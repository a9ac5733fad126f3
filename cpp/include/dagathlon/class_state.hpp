// An equivalence class of DAGs, as its essential graph, and the operators that lead to another class.
//
// Insertion and deletion are those of Chickering (2002), turning and interventions those of Hauser and
// Bühlmann (2012). An operator is carried out on a DAG of the class in which all edges at the nodes
// concerned have the direction it asks for; then the essential graph of the changed DAG is taken.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dagathlon/bits.hpp"
#include "dagathlon/marked_graph.hpp"
#include "dagathlon/meek.hpp"
#include "dagathlon/pdag.hpp"

namespace dagathlon {

enum class Step { insert, remove, turn };

// An arc x → y comes into being, disappears, or is turned from y → x or x – y. `with` are the
// neighbours of y that count as its parents.
struct ClassOperator {
  Step step;
  std::size_t x;
  std::size_t y;
  BitSet with;
  double gain;
};

class ClassState {
 public:
  // The class of a DAG under experiments on these targets; none means observation alone. Some DAG of
  // every class on the way has no forbidden arc (from row to column).
  ClassState(const MarkedGraph& dag, std::vector<BitSet> targets, const BitMatrix& forbidden);

  std::size_t size() const { return rows_.size(); }
  const Pdag& rows() const { return rows_; }
  const MarkedGraph& graph() const { return graph_; }

  // A DAG of the class, without a forbidden arc where there is such a one.
  MarkedGraph member() const;

  // Neighbours of y that are adjacent to x.
  BitSet common(std::size_t y, std::size_t x) const;
  // Parents of y, and those of its neighbours that are in `with`.
  std::vector<std::size_t> parents_with(std::size_t y, ConstRow with) const;

  // Whether the operator leads to a class: the conditions on paths, which change far from the edge.
  bool is_valid(const ClassOperator& op) const;

  // Carries a valid operator out; false, and nothing changed, when there is no DAG to do it on or
  // every DAG of the new class would have a forbidden arc.
  bool apply(const ClassOperator& op);

  // Back to a class that was there before, by its essential graph.
  void set(const MarkedGraph& graph);

 private:
  // What paths from a node lead to that avoid some nodes, at one time of the search.
  struct Reached {
    std::size_t time = 0;
    BitSet avoided{0};
    BitSet nodes{0};
  };

  bool detour_avoiding(std::size_t from, std::size_t to, ConstRow avoided) const;
  const BitSet& reached(std::size_t from, const BitSet& avoided) const;
  std::optional<MarkedGraph> member_with_directions(const ClassOperator& op) const;
  void direct_around(MarkedGraph& graph, std::size_t node, ConstRow parents) const;
  std::vector<DirectedEdge> away_from_forbidden(const Pdag& rows) const;
  bool can_obey(const Pdag& rows) const;
  MarkedGraph essential(const MarkedGraph& dag) const;

  std::vector<BitSet> targets_;
  const BitMatrix& forbidden_;
  MarkedGraph graph_;
  Pdag rows_;
  std::size_t time_ = 1;
  // The last answer for each node: most insertions into a node differ in x alone.
  mutable std::vector<Reached> reached_;
};

}  // namespace dagathlon
