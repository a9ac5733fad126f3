#include "dagathlon/search/class_state.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <utility>

#include "dagathlon/graph/dag.hpp"
#include "dagathlon/graph/equivalence.hpp"

namespace dagathlon {

namespace {

// Memory of some tens of megabytes.
constexpr std::size_t most_paths = std::size_t{1} << 18;

MarkedGraph essential(const MarkedGraph& dag, const std::vector<BitSet>& targets) {
  return targets.empty() ? cpdag_of_dag(dag, topological_order(dag)) : interventional_essential_graph(dag, targets);
}

// All undirected edges at a node get a direction: in from `parents`, out to the others.
void direct_around(MarkedGraph& graph, std::size_t node, ConstRow parents) {
  for_each(graph.neighbours(node), [&](std::size_t i) {
    if (test(parents, i)) graph.set_directed(i, node);
    else graph.set_directed(node, i);
  });
}

}  // namespace

ClassState::ClassState(const MarkedGraph& dag, std::vector<BitSet> targets, const BitMatrix& forbidden)
    : targets_(std::move(targets)),
      forbidden_(forbidden),
      any_forbidden_(any(forbidden.words())),
      dag_(dag),
      rows_(essential(dag, targets_)),
      forward_(dag.size()),
      children_(dag.size()),
      is_touched_(dag.size()) {
  for (std::size_t i = 0; i < size(); ++i) find_forward(i);
}

MarkedGraph ClassState::member() const {
  const std::vector<DirectedEdge> known = away_from_forbidden(rows_);
  Pdag directed = rows_;
  if (known.empty() || close_with_knowledge(directed, known)) return std::get<MarkedGraph>(extension(graph()));
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
  for_each(first_steps, [&](std::size_t i) { found = found || (!closed.test(to) && leads(i, to, closed)); });
  return found;
}

// Whether directed edges, taken forwards, and undirected ones lead from one node to another; those that are avoided
// count as reached.
bool ClassState::leads(std::size_t from, std::size_t to, const BitSet& avoided) const {
  if (avoided.test(to)) return true;
  rank_components();
  if (rank_[from] > rank_[to]) return false;
  const std::size_t key = from * size() + to;
  if (const auto known = paths_.find(key); known != paths_.end() && is_open(known->second, avoided)) return true;
  std::vector<std::uint32_t> path = shortest_path(from, to, avoided);
  if (path.empty()) return false;
  if (paths_.size() >= most_paths) paths_.clear();
  paths_.insert_or_assign(key, std::move(path));
  return true;
}

bool ClassState::is_open(const std::vector<std::uint32_t>& path, const BitSet& avoided) const {
  for (std::size_t k = 1; k < path.size(); ++k) {
    const bool linked = rows_.children.test(path[k - 1], path[k]) || rows_.neighbours.test(path[k - 1], path[k]);
    if (!linked || avoided.test(path[k])) return false;
  }
  return true;
}

// A path is open the longer the shorter it is. Empty where there is none.
std::vector<std::uint32_t> ClassState::shortest_path(std::size_t from, std::size_t to, const BitSet& avoided) const {
  BitSet met = avoided;
  met.set(from);
  came_from_.resize(size());
  waiting_.assign(1, from);
  for (std::size_t k = 0; k < waiting_.size() && !met.test(to); ++k)
    for (const std::size_t next : forward_[waiting_[k]]) {
      if (met.test(next) || rank_[next] > rank_[to]) continue;
      met.set(next);
      came_from_[next] = static_cast<std::uint32_t>(waiting_[k]);
      waiting_.push_back(next);
    }
  std::vector<std::uint32_t> path;
  if (!met.test(to)) return path;
  for (std::size_t node = to; node != from; node = came_from_[node]) path.push_back(static_cast<std::uint32_t>(node));
  path.push_back(static_cast<std::uint32_t>(from));
  std::ranges::reverse(path);
  return path;
}

// The nodes of a component have the same parents outside of it, all of which come before the first of them: along
// directed edges the place of the first node of a component grows.
void ClassState::rank_components() const {
  if (ranked_ == time_) return;
  ranked_ = time_;
  rank_.assign(size(), no_node);
  for (std::size_t place = 0; place < size(); ++place) {
    if (rank_[dag_.at(place)] != no_node) continue;
    rank_[dag_.at(place)] = place;
    waiting_.assign(1, dag_.at(place));
    while (!waiting_.empty()) {
      const std::size_t node = waiting_.back();
      waiting_.pop_back();
      for (const std::size_t next : std::span(forward_[node]).subspan(children_[node])) {
        if (rank_[next] != no_node) continue;
        rank_[next] = place;
        waiting_.push_back(next);
      }
    }
  }
}

bool ClassState::is_valid(const ClassOperator& op) const {
  if (op.step == Step::remove) return true;
  if (op.step == Step::insert) return !rows_.adjacent.test(op.x, op.y) && !leads(op.y, op.x, op.with);
  if (rows_.neighbours.test(op.x, op.y)) return true;
  BitSet avoided(size(), op.with);
  unite(avoided, rows_.neighbours[op.x]);
  return !detour_avoiding(op.y, op.x, avoided);
}

BitSet ClassState::parents_of_turned(const ClassOperator& op) const {
  if (!rows_.neighbours.test(op.x, op.y)) return BitSet(size());
  BitSet result = common(op.y, op.x);
  intersect(result, op.with);
  return result;
}

bool ClassState::directed_around(std::size_t node, ConstRow parents) const {
  bool as_asked = true;
  for_each(rows_.neighbours[node],
           [&](std::size_t i) { as_asked = as_asked && dag_.has(i, node) == test(parents, i); });
  return as_asked;
}

void ClassState::add_component(std::size_t node, BitSet& nodes) const {
  if (nodes.test(node)) return;
  nodes.set(node);
  std::vector<std::size_t> waiting{node};
  while (!waiting.empty()) {
    BitSet next(size(), rows_.neighbours[waiting.back()]);
    waiting.pop_back();
    subtract(next, nodes);
    unite(nodes, next);
    for_each(next, [&](std::size_t i) { waiting.push_back(i); });
  }
}

// The change of the DAG that carries an operator out. The nodes of a component have the same parents outside of
// it, so that its edges can be directed by themselves.
std::optional<OrderedDag::Change> ClassState::change_for(const ClassOperator& op) const {
  OrderedDag::Change change;
  BitSet into_y(size(), op.with);
  if (op.step == Step::remove && rows_.neighbours.test(op.x, op.y)) into_y.set(op.x);
  const bool turns = op.step == Step::turn;
  const BitSet into_x = turns ? parents_of_turned(op) : BitSet(size());
  if (!directed_around(op.y, into_y) || (turns && !directed_around(op.x, into_x))) {
    BitSet nodes(size());
    add_component(op.y, nodes);
    if (turns) add_component(op.x, nodes);
    const auto arcs = arcs_inside(nodes, op, into_y, into_x);
    if (!arcs) return std::nullopt;
    for (const auto& [from, to] : *arcs) {
      const bool is_own = (from == op.x && to == op.y) || (from == op.y && to == op.x);
      if (is_own || dag_.has(from, to)) continue;
      change.come.emplace_back(from, to);
      change.go.emplace_back(to, from);
    }
  }
  const bool stays = op.step != Step::remove;
  if (stays && !dag_.has(op.x, op.y)) change.come.emplace_back(op.x, op.y);
  if (!stays && dag_.has(op.x, op.y)) change.go.emplace_back(op.x, op.y);
  if (dag_.has(op.y, op.x)) change.go.emplace_back(op.y, op.x);
  return change;
}

std::optional<std::vector<DirectedEdge>> ClassState::arcs_inside(const BitSet& nodes, const ClassOperator& op,
                                                                 ConstRow into_y, ConstRow into_x) const {
  std::vector<std::size_t> names;
  std::vector<std::size_t> number(size());
  for_each(nodes, [&](std::size_t i) {
    number[i] = names.size();
    names.push_back(i);
  });
  MarkedGraph partial(names.size());
  for (std::size_t a = 0; a < names.size(); ++a)
    for_each(rows_.neighbours[names[a]], [&](std::size_t i) {
      if (i > names[a]) partial.set_undirected(a, number[i]);
    });
  const auto numbered = [&](ConstRow set) {
    BitSet result(names.size());
    for_each(set, [&](std::size_t i) {
      if (nodes.test(i)) result.set(number[i]);
    });
    return result;
  };
  direct_around(partial, number[op.y], numbered(into_y));
  if (op.step == Step::turn) direct_around(partial, number[op.x], numbered(into_x));
  const auto found = extension(partial);
  const auto* dag = std::get_if<MarkedGraph>(&found);
  if (dag == nullptr) return std::nullopt;
  std::vector<DirectedEdge> arcs;
  for (std::size_t b = 0; b < names.size(); ++b)
    for_each(dag->parents(b), [&](std::size_t a) { arcs.emplace_back(names[a], names[b]); });
  return arcs;
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
  const auto change = change_for(op);
  if (!change || !dag_.make(*change)) return false;
  touched_.clear();
  untouched_rows_.clear();
  is_touched_.clear();
  if (targets_.empty()) relabel(*change);
  else label_by_experiments();
  if (any_forbidden_ && !can_obey(rows_)) {
    put_rows_back();
    dag_.take_back(*change);
    return false;
  }
  note_changes();
  ++time_;
  return true;
}

// Along the order of the DAG: what is compelled into a node depends on its parents, and on what is compelled into
// the latest of them.
void ClassState::relabel(const OrderedDag::Change& change) {
  clear_edges(change.go);
  BitSet other_parents(size());
  for (const auto& arcs : {change.come, change.go})
    for (const auto& [from, to] : arcs) other_parents.set(to);
  BitSet is_waiting = other_parents;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> places;
  for_each(other_parents, [&](std::size_t i) { places.push(dag_.place(i)); });
  BitSet into(size());
  while (!places.empty()) {
    const std::size_t node = dag_.at(places.top());
    places.pop();
    into.clear();
    if (const std::size_t latest = dag_.latest_parent(node); latest != no_node)
      label_edges_into(node, latest, dag_.parents(), rows_.parents, into);
    const bool is_other = other_parents.test(node) || !std::ranges::equal(into.row(), rows_.parents[node]);
    if (!is_other) continue;
    for_each(dag_.parents()[node], [&](std::size_t parent) { set_edge(parent, node, into.test(parent)); });
    for_each(dag_.children()[node], [&](std::size_t child) {
      if (is_waiting.test(child)) return;
      is_waiting.set(child);
      places.push(dag_.place(child));
    });
  }
}

// Takes out what arcs that are gone have left: the edge, or its direction where it was turned.
void ClassState::clear_edges(const std::vector<DirectedEdge>& arcs) {
  for (const auto& [from, to] : arcs) {
    const bool turned = dag_.has(to, from);
    if (turned && rows_.neighbours.test(from, to)) continue;
    touch(from);
    touch(to);
    rows_.parents.reset(to, from);
    rows_.children.reset(from, to);
    if (turned) continue;
    for (const auto& [i, j] : {std::pair(from, to), std::pair(to, from)}) {
      rows_.neighbours.reset(i, j);
      rows_.adjacent.reset(i, j);
    }
  }
}

void ClassState::set_edge(std::size_t from, std::size_t to, bool compelled) {
  if ((compelled ? rows_.parents : rows_.neighbours).test(to, from)) return;
  touch(from);
  touch(to);
  rows_.adjacent.set(from, to);
  rows_.adjacent.set(to, from);
  if (compelled) {
    rows_.direct(from, to);
    return;
  }
  rows_.parents.reset(to, from);
  rows_.children.reset(from, to);
  rows_.neighbours.set(from, to);
  rows_.neighbours.set(to, from);
}

void ClassState::label_by_experiments() {
  for (std::size_t i = 0; i < size(); ++i) touch(i);
  rows_ = Pdag(essential(dag_.graph(), targets_));
}

void ClassState::touch(std::size_t node) {
  if (is_touched_.test(node)) return;
  is_touched_.set(node);
  touched_.push_back(node);
  for (const BitMatrix* rows : {&rows_.parents, &rows_.neighbours, &rows_.children, &rows_.adjacent}) {
    const ConstRow row = (*rows)[node];
    untouched_rows_.insert(untouched_rows_.end(), row.begin(), row.end());
  }
}

void ClassState::put_rows_back() {
  auto from = untouched_rows_.begin();
  for (const std::size_t node : touched_)
    for (BitMatrix* rows : {&rows_.parents, &rows_.neighbours, &rows_.children, &rows_.adjacent}) {
      const Row row = (*rows)[node];
      std::copy_n(from, row.size(), row.begin());
      from += static_cast<std::ptrdiff_t>(row.size());
    }
}

void ClassState::note_changes() {
  changed_.clear();
  const std::size_t words = words_for(size());
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    const std::size_t node = touched_[k];
    const ConstRow before(untouched_rows_.data() + 4 * k * words, 2 * words);
    if (!std::ranges::equal(before.first(words), rows_.parents[node]) ||
        !std::ranges::equal(before.last(words), rows_.neighbours[node]))
      changed_.push_back(node);
    find_forward(node);
  }
  std::ranges::sort(changed_);
}

void ClassState::find_forward(std::size_t node) {
  forward_[node].clear();
  for_each(rows_.children[node], [&](std::size_t i) { forward_[node].push_back(i); });
  children_[node] = forward_[node].size();
  for_each(rows_.neighbours[node], [&](std::size_t i) { forward_[node].push_back(i); });
}

void ClassState::set(const Saved& saved) {
  rows_ = saved.rows;
  dag_ = saved.dag;
  for (std::size_t i = 0; i < size(); ++i) find_forward(i);
  ++time_;
}

}  // namespace dagathlon
