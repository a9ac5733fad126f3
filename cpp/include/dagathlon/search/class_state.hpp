// An equivalence class of DAGs, as its essential graph, and the operators that lead to another class.
//
// Insertion and deletion are those of Chickering (2002), turning and interventions those of Hauser and
// Bühlmann (2012). An operator is carried out on a DAG of the class in which all edges at the nodes
// concerned have the direction it asks for; then the essential graph of the changed DAG is taken. A DAG of the
// class is kept for that: only the undirected edges around an operator are directed anew, and only edges below
// those that changed can be compelled where they were not, or the other way round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/graph/meek.hpp"
#include "dagathlon/graph/ordered_dag.hpp"
#include "dagathlon/graph/pdag.hpp"

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

  // All that a class is known by, to come back to it.
  struct Saved {
    Pdag rows;
    OrderedDag dag;
  };

  std::size_t size() const { return rows_.size(); }
  const Pdag& rows() const { return rows_; }
  MarkedGraph graph() const { return rows_.graph(); }

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
  // The nodes whose parents or neighbours the last operator has changed, in increasing order.
  const std::vector<std::size_t>& changed() const { return changed_; }

  Saved saved() const { return {rows_, dag_}; }
  // Back to a class that was there before.
  void set(const Saved& saved);

 private:
  bool detour_avoiding(std::size_t from, std::size_t to, ConstRow avoided) const;
  bool leads(std::size_t from, std::size_t to, const BitSet& avoided) const;
  bool is_open(const std::vector<std::uint32_t>& path, const BitSet& avoided) const;
  std::vector<std::uint32_t> shortest_path(std::size_t from, std::size_t to, const BitSet& avoided) const;
  void rank_components() const;
  // The neighbours of x that are to be its parents while an operator turns an edge.
  BitSet parents_of_turned(const ClassOperator& op) const;
  std::optional<OrderedDag::Change> change_for(const ClassOperator& op) const;
  // The undirected edges among these nodes as arcs of a DAG, those around the operator as it asks.
  std::optional<std::vector<DirectedEdge>> arcs_inside(const BitSet& nodes, const ClassOperator& op, ConstRow into_y,
                                                       ConstRow into_x) const;
  bool directed_around(std::size_t node, ConstRow parents) const;
  // All nodes to which undirected edges lead.
  void add_component(std::size_t node, BitSet& nodes) const;
  void relabel(const OrderedDag::Change& change);
  void label_by_experiments();
  void clear_edges(const std::vector<DirectedEdge>& arcs);
  void set_edge(std::size_t from, std::size_t to, bool compelled);
  // Keeps the rows of a node as they are before the first change.
  void touch(std::size_t node);
  void put_rows_back();
  void note_changes();
  void find_forward(std::size_t node);
  std::vector<DirectedEdge> away_from_forbidden(const Pdag& rows) const;
  bool can_obey(const Pdag& rows) const;

  std::vector<BitSet> targets_;
  const BitMatrix& forbidden_;
  bool any_forbidden_;
  OrderedDag dag_;
  Pdag rows_;
  // Where directed edges, taken forwards, and undirected ones lead from each node: its children, of which there are so
  // many, and its neighbours.
  std::vector<std::vector<std::size_t>> forward_;
  std::vector<std::size_t> children_;
  // The nodes that an operator has touched, and their rows before it.
  BitSet is_touched_;
  std::vector<std::size_t> touched_;
  std::vector<Word> untouched_rows_;
  std::vector<std::size_t> changed_;
  std::size_t time_ = 1;
  // Paths that made operators invalid, by their ends: most of them do so step after step.
  mutable std::unordered_map<std::size_t, std::vector<std::uint32_t>> paths_;
  // Of each node, the place of the first of its component in the order of the DAG; when they were found.
  mutable std::vector<std::size_t> rank_;
  mutable std::size_t ranked_ = 0;
  mutable std::vector<std::size_t> waiting_;
  mutable std::vector<std::uint32_t> came_from_;
};

}  // namespace dagathlon
