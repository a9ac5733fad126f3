#include "dagathlon/class_state.hpp"

#include <bit>
#include <utility>

#include "dagathlon/dag.hpp"
#include "dagathlon/equivalence.hpp"

namespace dagathlon {

ClassState::ClassState(const MarkedGraph& dag, std::vector<BitSet> targets, const BitMatrix& forbidden)
    : targets_(std::move(targets)), forbidden_(forbidden), graph_(essential(dag)), rows_(graph_), reached_(dag.size()) {}

MarkedGraph ClassState::essential(const MarkedGraph& dag) const {
  return targets_.empty() ? cpdag_of_dag(dag, topological_order(dag)) : interventional_essential_graph(dag, targets_);
}

MarkedGraph ClassState::member() const {
  const std::vector<DirectedEdge> known = away_from_forbidden(rows_);
  Pdag directed = rows_;
  if (known.empty() || close_with_knowledge(directed, known)) return std::get<MarkedGraph>(extension(graph_));
  return std::get<MarkedGraph>(extension(directed.graph()));
}

BitSet ClassState::common(std::size_t y, std::size_t x) const {
  BitSet result(size(), rows_.neighbours[y]);
  intersect(result, rows_.adjacent[x]);
  return result;
}

std::vector<std::size_t> ClassState::parents_with(std::size_t y, ConstRow with) const {
  BitSet all(size(), rows_.parents[y]);
  unite(all, with);
  std::vector<std::size_t> result;
  for_each(all, [&](std::size_t i) { result.push_back(i); });
  return result;
}

// Whether directed edges, taken forwards, and undirected ones lead from one node to the other without
// a node that is avoided and without the edge between the two.
bool ClassState::detour_avoiding(std::size_t from, std::size_t to, ConstRow avoided) const {
  BitSet closed(size(), avoided);
  closed.set(from);
  bool found = false;
  BitSet first_steps(size(), rows_.children[from]);
  unite(first_steps, rows_.neighbours[from]);
  first_steps.reset(to);
  subtract(first_steps, closed);
  for_each(first_steps, [&](std::size_t i) { found = found || (!closed.test(to) && reached(i, closed).test(to)); });
  return found;
}

// Where directed edges, taken forwards, and undirected ones lead to; those that are avoided count too.
const BitSet& ClassState::reached(std::size_t from, const BitSet& avoided) const {
  Reached& known = reached_[from];
  if (known.time == time_ && known.avoided == avoided) return known.nodes;
  known = {time_, avoided, avoided};
  const Row met = known.nodes;
  std::vector<std::size_t> waiting;
  waiting.reserve(size());
  waiting.push_back(from);
  while (!waiting.empty()) {
    const std::size_t node = waiting.back();
    waiting.pop_back();
    for (std::size_t k = 0; k < met.size(); ++k) {
      Word next = (rows_.children[node][k] | rows_.neighbours[node][k]) & ~met[k];
      met[k] |= next;
      for (; next != 0; next &= next - 1)
        waiting.push_back(k * word_bits + static_cast<std::size_t>(std::countr_zero(next)));
    }
  }
  return known.nodes;
}

bool ClassState::is_valid(const ClassOperator& op) const {
  if (op.step == Step::remove) return true;
  if (op.step == Step::insert)
    return !rows_.adjacent.test(op.x, op.y) && !reached(op.y, op.with).test(op.x);
  if (rows_.neighbours.test(op.x, op.y)) return true;
  BitSet avoided(size(), op.with);
  unite(avoided, rows_.neighbours[op.x]);
  return !detour_avoiding(op.y, op.x, avoided);
}

// All undirected edges at a node get a direction: in from `parents`, out to the others.
void ClassState::direct_around(MarkedGraph& graph, std::size_t node, ConstRow parents) const {
  for_each(rows_.neighbours[node], [&](std::size_t i) {
    if (!graph.undirected(node, i)) return;
    if (test(parents, i)) graph.set_directed(i, node);
    else graph.set_directed(node, i);
  });
}

std::optional<MarkedGraph> ClassState::member_with_directions(const ClassOperator& op) const {
  MarkedGraph partial = graph_;
  BitSet into_y(size(), op.with);
  if (op.step == Step::remove && rows_.neighbours.test(op.x, op.y)) into_y.set(op.x);
  direct_around(partial, op.y, into_y);
  if (op.step == Step::turn) {
    BitSet into_x(size());
    if (rows_.neighbours.test(op.x, op.y)) {
      into_x = common(op.y, op.x);
      intersect(into_x, op.with);
    }
    direct_around(partial, op.x, into_x);
  }
  auto found = extension(partial);
  if (!std::holds_alternative<MarkedGraph>(found)) return std::nullopt;
  return std::get<MarkedGraph>(std::move(found));
}

// The directions of undirected edges whose other direction is forbidden.
std::vector<DirectedEdge> ClassState::away_from_forbidden(const Pdag& rows) const {
  std::vector<DirectedEdge> known;
  for (std::size_t i = 0; i < size(); ++i) {
    BitSet wrong(size(), rows.neighbours[i]);
    intersect(wrong, forbidden_[i]);
    for_each(wrong, [&](std::size_t j) { known.emplace_back(j, i); });
  }
  return known;
}

// Whether some DAG of a class has no forbidden arc.
bool ClassState::can_obey(const Pdag& rows) const {
  for (std::size_t i = 0; i < size(); ++i)
    if (intersects(rows.children[i], forbidden_[i])) return false;
  const std::vector<DirectedEdge> known = away_from_forbidden(rows);
  if (known.empty()) return true;
  Pdag directed = rows;
  return !close_with_knowledge(directed, known);
}

bool ClassState::apply(const ClassOperator& op) {
  std::optional<MarkedGraph> dag = member_with_directions(op);
  if (!dag) return false;
  if (op.step == Step::remove) dag->remove_edge(op.x, op.y);
  else dag->set_directed(op.x, op.y);
  if (!is_dag(*dag)) return false;
  MarkedGraph changed = essential(*dag);
  Pdag rows(changed);
  if (!can_obey(rows)) return false;
  graph_ = std::move(changed);
  rows_ = std::move(rows);
  ++time_;
  return true;
}

void ClassState::set(const MarkedGraph& graph) {
  graph_ = graph;
  rows_ = Pdag(graph);
  ++time_;
}

}  // namespace dagathlon
