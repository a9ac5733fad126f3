#include "dagathlon/search/class_operators.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/score/score_team.hpp"

namespace dagathlon {

namespace {

// Calls visit(clique) for every clique that is `chosen` and some of `others`, all of them adjacent to it.
template <class Visit>
void each_clique(const BitMatrix& adjacent, BitSet others, BitSet& chosen, Visit& visit) {
  visit(chosen);
  for (std::size_t i = first(others); i != no_node; i = first(others)) {
    pulse::beat();
    others.reset(i);
    BitSet further = others;
    intersect(further, adjacent[i]);
    chosen.set(i);
    each_clique(adjacent, std::move(further), chosen, visit);
    chosen.reset(i);
  }
}

// Calls visit(subset) for every subset that is a clique.
template <class Visit>
void each_clique(const ClassState& state, const BitSet& nodes, Visit visit) {
  BitSet none(state.size());
  each_clique(state.rows().adjacent, nodes, none, visit);
}

}  // namespace

ClassOperators::ClassOperators(Score& score, const ClassState& state, const ClassLimits& limits)
    : score_(score),
      state_(state),
      limits_(limits),
      allowed_(state.size()),
      joinable_(state.size()),
      are_remembered_{BitSet(state.size()), BitSet(state.size()), BitSet(state.size())},
      least_gain_(tie_tolerance) {
  for (auto& list : lists_) list.resize(size());
  for (auto& gains : highest_) gains.assign(size(), -std::numeric_limits<double>::infinity());
}

void ClassOperators::find_joinable() {
  ScoreTeam team(score_, limits_.faithful && size() >= nodes_worth_splitting ? size() : 1);
  team.each(size(), [&](std::size_t y, Score& score) {
    std::vector<double> scores(limits_.faithful ? size() : 0);
    if (limits_.faithful) score.additions(y, {}, scores);
    const double alone = limits_.faithful ? score.local(y, {}) : 0.0;
    for (std::size_t x = 0; x < size(); ++x) {
      if (x == y || limits_.forbidden.test(x, y)) continue;
      allowed_.set(y, x);
      if (!limits_.faithful || scores[x] - alone > 0) joinable_.set(y, x);
    }
  });
}

void ClassOperators::set_allowed(std::size_t x, std::size_t y, bool allowed) {
  if (allowed) allowed_.set(y, x);
  else allowed_.reset(y, x);
}

void ClassOperators::find(Step step) {
  if (step == Step::insert) find_first_additions();
  for (std::size_t y = 0; y < size(); ++y) find(step, y);
}

void ClassOperators::find(Step step, std::size_t y) {
  std::vector<ClassOperator>& list = lists_[place(step)][y];
  if (remembering_ && !are_remembered_[place(step)].test(y)) {
    are_remembered_[place(step)].set(y);
    remembered_.push_back({step, y, std::move(list)});
  }
  list.clear();
  switch (step) {
    case Step::insert: find_insertions(y); break;
    case Step::remove: find_removals(y); break;
    case Step::turn:
      for_each(state_.rows().children[y], [&](std::size_t x) { turn_directed(x, y); });
      for_each(state_.rows().neighbours[y], [&](std::size_t x) { turn_undirected(x, y); });
      break;
  }
  std::ranges::stable_sort(list, std::greater<>(), &ClassOperator::gain);
  note_highest(step, y);
}

void ClassOperators::note_highest(Step step, std::size_t y) {
  const std::vector<ClassOperator>& list = into(step, y);
  highest_[place(step)][y] = list.empty() ? -std::numeric_limits<double>::infinity() : list.front().gain;
}

void ClassOperators::remember() {
  remembering_ = true;
  remembered_.clear();
  for (BitSet& nodes : are_remembered_) nodes.clear();
}

void ClassOperators::put_back() {
  for (Remembered& old : remembered_) {
    lists_[place(old.step)][old.y] = std::move(old.list);
    note_highest(old.step, old.y);
  }
  forget();
}

void ClassOperators::refresh(Step step, const ClassOperator& made) {
  const Pdag& now = state_.rows();
  const BitMatrix& near = limits_.faithful ? now.adjacent : now.neighbours;
  BitSet stale(size());
  for (const std::size_t end : {made.x, made.y}) {
    stale.set(end);
    unite(stale, near[end]);
  }
  for (const std::size_t i : state_.changed()) {
    stale.set(i);
    if (step != Step::insert) unite(stale, now.adjacent[i]);
  }
  for_each(stale, [&](std::size_t y) { find(step, y); });
}

std::vector<ClassOperator> ClassOperators::all_removals() {
  const auto saved = lists_[place(Step::remove)];
  least_gain_ = -std::numeric_limits<double>::infinity();
  find(Step::remove);
  std::vector<ClassOperator> result;
  for (std::size_t y = 0; y < size(); ++y)
    // An undirected edge is found from both of its ends.
    for (const ClassOperator& op : into(Step::remove, y))
      if (op.x < op.y || !state_.rows().neighbours.test(op.x, op.y)) result.push_back(op);
  std::ranges::stable_sort(result, std::greater<>(), &ClassOperator::gain);
  least_gain_ = tie_tolerance;
  lists_[place(Step::remove)] = saved;
  for (std::size_t y = 0; y < size(); ++y) note_highest(Step::remove, y);
  return result;
}

void ClassOperators::keep(Step step, std::size_t x, std::size_t y, const BitSet& with, double gain) {
  if (gain > least_gain_) lists_[place(step)][y].push_back({step, x, y, with, gain});
}

bool ClassOperators::may_point(ConstRow from, std::size_t to) const {
  bool allowed = true;
  for_each(from, [&](std::size_t i) { allowed = allowed && !limits_.forbidden.test(i, to); });
  return allowed;
}

// All cliques among the neighbours of y, each with one batch of scores for every x at once: x can be
// inserted with a clique that holds all neighbours of y that x is adjacent to.
void ClassOperators::find_insertions(std::size_t y) {
  BitSet candidates(size(), joinable_[y]);
  if (limits_.faithful) unite(candidates, with_common_neighbour(y));
  intersect(candidates, allowed_[y]);
  subtract(candidates, state_.rows().adjacent[y]);
  BitSet sources(size(), state_.rows().neighbours[y]);
  for_each(state_.rows().neighbours[y], [&](std::size_t i) {
    if (limits_.forbidden.test(i, y)) sources.reset(i);
  });
  each_clique(state_, sources, [&](const BitSet& clique) { insertions_with(y, clique, candidates); });
}

// Nodes that share a neighbour with y: what their arcs into it hide, the neighbour may show.
BitSet ClassOperators::with_common_neighbour(std::size_t y) const {
  const BitMatrix& adjacent = state_.rows().adjacent;
  BitSet result(size());
  for_each(adjacent[y], [&](std::size_t i) { unite(result, adjacent[i]); });
  return result;
}

void ClassOperators::insertions_with(std::size_t y, const BitSet& clique, const BitSet& candidates) {
  const std::vector<std::size_t> parents = state_.parents_with(y, clique);
  if (parents.size() >= limits_.max_parents) return;
  for (const auto& [x, gain] : additions(y, parents))
    if (candidates.test(x) && is_subset(state_.common(y, x), clique)) keep(Step::insert, x, y, clique, gain);
}

const std::u32string& ClassOperators::family_of(std::size_t y, const std::vector<std::size_t>& parents) {
  family_.assign(1, static_cast<char32_t>(y));
  for (const std::size_t s : parents) family_.push_back(static_cast<char32_t>(s));
  return family_;
}

const std::vector<ClassOperators::Addition>& ClassOperators::additions(std::size_t y,
                                                                       const std::vector<std::size_t>& parents) {
  constexpr std::size_t most_families = std::size_t{1} << 20;
  const std::u32string& family = family_of(y, parents);
  if (const auto found = additions_.find(family); found != additions_.end()) return found->second;
  if (additions_.size() >= most_families) additions_.clear();
  return additions_[family] = raising(score_, y, parents);
}

std::vector<ClassOperators::Addition> ClassOperators::raising(Score& score, std::size_t y,
                                                              const std::vector<std::size_t>& parents) const {
  std::vector<double> scores(size());
  score.additions(y, parents, scores);
  const double now = score.local(y, parents);
  std::vector<Addition> result;
  for (std::size_t x = 0; x < size(); ++x)
    if (x != y && !std::ranges::binary_search(parents, x) && scores[x] - now > tie_tolerance)
      result.push_back({x, scores[x] - now});
  return result;
}

void ClassOperators::find_first_additions() {
  ScoreTeam team(score_, size() >= nodes_worth_splitting && additions_.empty() ? size() : 1);
  if (team.size() == 1) return;
  std::vector<std::vector<Addition>> found(size());
  const auto parents_of = [&](std::size_t y) { return state_.parents_with(y, BitSet(size())); };
  team.each(size(), [&](std::size_t y, Score& score) { found[y] = raising(score, y, parents_of(y)); });
  for (std::size_t y = 0; y < size(); ++y) additions_[family_of(y, parents_of(y))] = std::move(found[y]);
}

double ClassOperators::local_without(std::size_t child, std::vector<std::size_t> parents, std::size_t removed) {
  std::erase(parents, removed);
  return score_.local(child, parents);
}

double ClassOperators::local_with(std::size_t child, std::vector<std::size_t> parents, std::size_t added) {
  if (!std::ranges::binary_search(parents, added)) parents.insert(std::ranges::lower_bound(parents, added), added);
  return score_.local(child, parents);
}

void ClassOperators::find_removals(std::size_t y) {
  BitSet sources(size(), state_.rows().parents[y]);
  unite(sources, state_.rows().neighbours[y]);
  for_each(sources, [&](std::size_t x) {
    if (limits_.required.test(x, y) || limits_.required.test(y, x)) return;
    each_clique(state_, state_.common(y, x), [&](const BitSet& kept) {
      const std::vector<std::size_t> parents = state_.parents_with(y, kept);
      keep(Step::remove, x, y, kept, local_without(y, parents, x) - local_with(y, parents, x));
    });
  });
}

bool ClassOperators::may_turn(std::size_t x, std::size_t y) const {
  return !limits_.forbidden.test(x, y) && !limits_.required.test(y, x);
}

// y → x becomes x → y.
void ClassOperators::turn_directed(std::size_t x, std::size_t y) {
  if (!may_turn(x, y)) return;
  const BitSet needed = state_.common(y, x);
  const std::vector<std::size_t> of_x = state_.parents_with(x, BitSet(size()));
  const double freed = local_without(x, of_x, y) - score_.local(x, of_x);
  each_clique(state_, BitSet(size(), state_.rows().neighbours[y]), [&](const BitSet& with) {
    if (!is_subset(needed, with) || !may_point(with, y)) return;
    const std::vector<std::size_t> of_y = state_.parents_with(y, with);
    if (of_y.size() >= limits_.max_parents) return;
    keep(Step::turn, x, y, with, local_with(y, of_y, x) - score_.local(y, of_y) + freed);
  });
}

// x – y becomes x → y with parents of y that make the class another one.
void ClassOperators::turn_undirected(std::size_t x, std::size_t y) {
  if (!may_turn(x, y)) return;
  BitSet others(size(), state_.rows().neighbours[y]);
  others.reset(x);
  const BitSet shared = state_.common(y, x);
  each_clique(state_, others, [&](const BitSet& with) {
    if (is_subset(with, shared) || !may_point(with, y) || !separates(with, shared, y)) return;
    BitSet both = shared;
    intersect(both, with);
    const std::vector<std::size_t> of_y = state_.parents_with(y, with);
    if (of_y.size() >= limits_.max_parents) return;
    const std::vector<std::size_t> of_x = state_.parents_with(x, both);
    keep(Step::turn, x, y, with,
         local_with(y, of_y, x) - score_.local(y, of_y) + score_.local(x, of_x) - local_with(x, of_x, y));
  });
}

// Whether `with` ∩ `shared` separates the rest of the two among the neighbours of y.
bool ClassOperators::separates(const BitSet& with, const BitSet& shared, std::size_t y) const {
  BitSet seen = with;
  intersect(seen, shared);
  BitSet goal = shared;
  subtract(goal, with);
  BitSet start = with;
  subtract(start, shared);
  unite(seen, start);
  std::vector<std::size_t> waiting;
  for_each(start, [&](std::size_t i) { waiting.push_back(i); });
  while (!waiting.empty()) {
    BitSet next(size(), state_.rows().neighbours[waiting.back()]);
    waiting.pop_back();
    intersect(next, state_.rows().neighbours[y]);
    subtract(next, seen);
    if (intersects(next, goal)) return false;
    unite(seen, next);
    for_each(next, [&](std::size_t i) { waiting.push_back(i); });
  }
  return true;
}

}  // namespace dagathlon
