#include "dagathlon/equivalence_search.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "dagathlon/arc_moves.hpp"

namespace dagathlon {

namespace {

class Search {
 public:
  Search(Score& score, const MarkedGraph& start, const ClassSearch& how)
      : score_(score), how_(how), state_(start, how.targets, how.forbidden), joinable_(start.size()), operators_(start.size()) {
    find_joinable();
  }

  ClassSearchResult run() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Step phase : how_.phases) changed = run_phase(phase) || changed;
      if (!how_.iterate) break;
    }
    return {state_.graph(), total(), steps_};
  }

 private:
  std::size_t size() const { return state_.size(); }

  double total() {
    const MarkedGraph dag = state_.member();
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      std::vector<std::size_t> parents;
      for_each(dag.parents(i), [&](std::size_t s) { parents.push_back(s); });
      sum += score_.local(i, parents);
    }
    return sum;
  }

  // Row y: the nodes x that may ever be joined to y by an arc x → y.
  void find_joinable() {
    std::vector<double> scores(size());
    for (std::size_t y = 0; y < size(); ++y) {
      if (how_.faithful) score_.additions(y, {}, scores);
      const double alone = how_.faithful ? score_.local(y, {}) : 0.0;
      for (std::size_t x = 0; x < size(); ++x) {
        if (x == y || how_.forbidden.test(x, y)) continue;
        if (!how_.faithful || scores[x] - alone > 0) joinable_.set(y, x);
      }
    }
  }

  bool run_phase(Step phase) {
    for (std::size_t y = 0; y < size(); ++y) find_operators(phase, y);
    bool changed = false;
    while (make_best(phase)) {
      changed = true;
      ++steps_;
    }
    return changed;
  }

  // Takes the operator of highest gain that is valid now, and finds the operators that it changed.
  bool make_best(Step phase) {
    using Place = std::pair<std::size_t, std::size_t>;
    const auto worse = [&](const Place& a, const Place& b) {
      const double left = operators_[a.first][a.second].gain;
      const double right = operators_[b.first][b.second].gain;
      return left != right ? left < right : a > b;
    };
    std::priority_queue<Place, std::vector<Place>, decltype(worse)> queue(worse);
    for (std::size_t y = 0; y < size(); ++y)
      if (!operators_[y].empty()) queue.push({y, 0});
    while (!queue.empty()) {
      const auto [y, place] = queue.top();
      queue.pop();
      const ClassOperator op = operators_[y][place];
      const Pdag before = state_.rows();
      if (within_degree(op) && state_.is_valid(op) && state_.apply(op)) {
        refresh(phase, before, op);
        return true;
      }
      if (place + 1 < operators_[y].size()) queue.push({y, place + 1});
    }
    return false;
  }

  bool within_degree(const ClassOperator& op) const {
    const BitMatrix& adjacent = state_.rows().adjacent;
    return op.step != Step::insert ||
           std::max(count(adjacent[op.x]), count(adjacent[op.y])) < how_.max_degree;
  }

  void refresh(Step phase, const Pdag& before, const ClassOperator& op) {
    const Pdag& now = state_.rows();
    BitSet changed(size());
    for (std::size_t i = 0; i < size(); ++i)
      if (!std::ranges::equal(before.parents[i], now.parents[i]) ||
          !std::ranges::equal(before.neighbours[i], now.neighbours[i]))
        changed.set(i);
    BitSet ends(size());
    ends.set(op.x);
    ends.set(op.y);
    for (std::size_t y = 0; y < size(); ++y) {
      const bool near = intersects(now.neighbours[y], ends) || ends.test(y);
      const bool beside = phase != Step::insert && intersects(now.adjacent[y], changed);
      if (changed.test(y) || near || beside) find_operators(phase, y);
    }
  }

  void find_operators(Step phase, std::size_t y) {
    operators_[y].clear();
    const BitSet nothing(size());
    switch (phase) {
      case Step::insert: find_insertions(y, nothing, 0); break;
      case Step::remove: find_removals(y); break;
      case Step::turn: find_turns(y); break;
    }
    std::ranges::stable_sort(operators_[y], std::greater<>(), &ClassOperator::gain);
  }

  void keep(Step step, std::size_t x, std::size_t y, const BitSet& with, double gain) {
    if (gain > tie_tolerance) operators_[y].push_back({step, x, y, with, gain});
  }

  bool may_point(ConstRow from, std::size_t to) const {
    bool allowed = true;
    for_each(from, [&](std::size_t i) { allowed = allowed && !how_.forbidden.test(i, to); });
    return allowed;
  }

  // All cliques among the neighbours of y, each with one batch of scores for every x at once: x can be
  // inserted with a clique that holds all neighbours of y that x is adjacent to.
  void find_insertions(std::size_t y, const BitSet& clique, std::size_t next) {
    if (!may_point(clique, y)) return;
    insertions_with(y, clique);
    for (std::size_t i = next; i < size(); ++i) {
      if (!state_.rows().neighbours.test(y, i) || !is_subset(clique, state_.rows().adjacent[i])) continue;
      BitSet larger = clique;
      larger.set(i);
      find_insertions(y, larger, i + 1);
    }
  }

  void insertions_with(std::size_t y, const BitSet& clique) {
    const Pdag& rows = state_.rows();
    BitSet candidates(size(), joinable_[y]);
    subtract(candidates, rows.adjacent[y]);
    const std::vector<std::size_t> parents = state_.parents_with(y, clique);
    std::vector<double> scores(size());
    score_.additions(y, parents, scores);
    const double now = score_.local(y, parents);
    for_each(candidates, [&](std::size_t x) {
      if (scores[x] - now > tie_tolerance && is_subset(state_.common(y, x), clique)) keep(Step::insert, x, y, clique, scores[x] - now);
    });
  }

  // Calls visit(subset) for every subset that is a clique.
  template <class Visit>
  void each_clique(const BitSet& nodes, const BitSet& chosen, std::size_t next, Visit&& visit) {
    visit(chosen);
    for (std::size_t i = next; i < size(); ++i) {
      if (!nodes.test(i) || !is_subset(chosen, state_.rows().adjacent[i])) continue;
      BitSet larger = chosen;
      larger.set(i);
      each_clique(nodes, larger, i + 1, visit);
    }
  }

  double local_without(std::size_t child, std::vector<std::size_t> parents, std::size_t removed) {
    std::erase(parents, removed);
    return score_.local(child, parents);
  }
  double local_with(std::size_t child, std::vector<std::size_t> parents, std::size_t added) {
    if (!std::ranges::binary_search(parents, added)) parents.insert(std::ranges::lower_bound(parents, added), added);
    return score_.local(child, parents);
  }

  void find_removals(std::size_t y) {
    BitSet sources(size(), state_.rows().parents[y]);
    unite(sources, state_.rows().neighbours[y]);
    for_each(sources, [&](std::size_t x) {
      if (how_.required.test(x, y) || how_.required.test(y, x)) return;
      each_clique(state_.common(y, x), BitSet(size()), 0, [&](const BitSet& kept) {
        const std::vector<std::size_t> parents = state_.parents_with(y, kept);
        keep(Step::remove, x, y, kept, local_without(y, parents, x) - local_with(y, parents, x));
      });
    });
  }

  void find_turns(std::size_t y) {
    const Pdag& rows = state_.rows();
    for_each(rows.children[y], [&](std::size_t x) { turn_directed(x, y); });
    for_each(rows.neighbours[y], [&](std::size_t x) { turn_undirected(x, y); });
  }

  bool may_turn(std::size_t x, std::size_t y) const {
    return !how_.forbidden.test(x, y) && !how_.required.test(y, x);
  }

  // y → x becomes x → y.
  void turn_directed(std::size_t x, std::size_t y) {
    if (!may_turn(x, y)) return;
    const BitSet needed = state_.common(y, x);
    const std::vector<std::size_t> of_x = state_.parents_with(x, BitSet(size()));
    const double freed = local_without(x, of_x, y) - score_.local(x, of_x);
    each_clique(BitSet(size(), state_.rows().neighbours[y]), BitSet(size()), 0, [&](const BitSet& with) {
      if (!is_subset(needed, with) || !may_point(with, y)) return;
      const std::vector<std::size_t> of_y = state_.parents_with(y, with);
      keep(Step::turn, x, y, with, local_with(y, of_y, x) - score_.local(y, of_y) + freed);
    });
  }

  // x – y becomes x → y with parents of y that make the class another one.
  void turn_undirected(std::size_t x, std::size_t y) {
    if (!may_turn(x, y)) return;
    BitSet others(size(), state_.rows().neighbours[y]);
    others.reset(x);
    const BitSet shared = state_.common(y, x);
    each_clique(others, BitSet(size()), 0, [&](const BitSet& with) {
      if (is_subset(with, shared) || !may_point(with, y) || !separates(with, shared, y)) return;
      BitSet both = shared;
      intersect(both, with);
      const std::vector<std::size_t> of_y = state_.parents_with(y, with);
      const std::vector<std::size_t> of_x = state_.parents_with(x, both);
      keep(Step::turn, x, y, with,
           local_with(y, of_y, x) - score_.local(y, of_y) + score_.local(x, of_x) - local_with(x, of_x, y));
    });
  }

  // Whether `with` ∩ `shared` separates the rest of the two among the neighbours of y.
  bool separates(const BitSet& with, const BitSet& shared, std::size_t y) const {
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

  Score& score_;
  const ClassSearch& how_;
  ClassState state_;
  BitMatrix joinable_;
  std::vector<std::vector<ClassOperator>> operators_;
  std::size_t steps_ = 0;
};

}  // namespace

ClassSearchResult search_classes(Score& score, const MarkedGraph& start, const ClassSearch& how) {
  return Search(score, start, how).run();
}

}  // namespace dagathlon
