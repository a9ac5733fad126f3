#include "dagathlon/search/queued_search.hpp"

#include <functional>
#include <map>
#include <utility>

#include "dagathlon/graph/nodes.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

bool is_clique(const BitMatrix& adjacent, const BitSet& nodes) {
  bool joined = true;
  for_each(nodes.row(), [&](std::size_t i) {
    BitSet others = nodes;
    others.reset(i);
    joined = joined && is_subset(others, adjacent[i]);
  });
  return joined;
}

NodeVector members(ConstRow row) {
  NodeVector result;
  for_each(row, [&](std::size_t i) { result.push_back(i); });
  return result;
}

// Operators by gain; of equal ones the first comes first.
class Queue {
 public:
  explicit Queue(std::size_t nodes) : nodes_(nodes), keys_(nodes * nodes) {}

  struct Waiting {
    ClassOperator op;
    // The neighbours of y that were adjacent to x.
    BitSet common;
  };

  bool empty() const { return waiting_.empty(); }
  void push(Step step, std::size_t x, std::size_t y, const BitSet& with, double gain, const BitSet& common) {
    const Key key{-gain, number_++};
    keys_[x * nodes_ + y].push_back(key);
    waiting_.emplace(key, Waiting{ClassOperator{step, x, y, with, gain}, common});
  }
  Waiting pop() { return std::move(waiting_.extract(waiting_.begin()).mapped()); }
  void forget(std::size_t x, std::size_t y) {
    for (const Key& key : keys_[x * nodes_ + y]) waiting_.erase(key);
    keys_[x * nodes_ + y].clear();
  }
  void clear() {
    waiting_.clear();
    for (auto& keys : keys_) keys.clear();
  }

 private:
  using Key = std::pair<double, std::size_t>;
  std::size_t nodes_;
  std::size_t number_ = 0;
  std::map<Key, Waiting> waiting_;
  std::vector<std::vector<Key>> keys_;
};

class QueuedSearch {
 public:
  QueuedSearch(Score& score, const MarkedGraph& start, const ClassLimits& limits)
      : score_(score),
        limits_(limits),
        state_(start, {}, limits.forbidden),
        queue_(state_.size()),
        dependent_(state_.size()),
        removed_(state_.size()),
        scores_(state_.size()),
        known_(state_.size(), BitSet(state_.size())),
        is_known_(state_.size()) {}

  // Every step leads to a class of higher score, so that the class of the moment is the best so far.
  ClassSearchResult run() {
    pulse::until_deadline([&] { search(); });
    return {state_.graph(), total(score_, state_.member()), steps_};
  }

 private:
  std::size_t size() const { return state_.size(); }
  const Pdag& rows() const { return state_.rows(); }

  void search() {
    find_dependent();
    insert_all();
    remove_all();
    beside_ = true;
    forget_all();
    for (std::size_t y = 0; y < size(); ++y)
      for (const std::size_t x : members(beside(y)))
        if (!removed_.test(x, y)) find_insertions(x, y);
    insert_all();
    remove_all();
  }

  void forget_all() {
    queue_.clear();
    is_known_.clear();
  }

  // Pairs of which one raises the score of the other without other parents; their arcs are the first operators.
  void find_dependent() {
    const BitSet none(size());
    for (std::size_t y = 0; y < size(); ++y) {
      pulse::progress(y, size());
      know(y);
      score_.additions(y, {}, scores_);
      const double alone = score_.local(y, {});
      for (std::size_t x = y + 1; x < size(); ++x) {
        const double gain = scores_[x] - alone;
        if (!(gain > 0)) continue;
        dependent_.set(x, y);
        dependent_.set(y, x);
        if (rows().adjacent.test(x, y)) continue;
        for (const auto& [from, to] : {std::pair(x, y), std::pair(y, x)})
          if (!limits_.forbidden.test(from, to)) queue_.push(Step::insert, from, to, none, gain, none);
      }
    }
  }

  // Nodes with a neighbour in common with y that is no collider between the two.
  BitSet beside(std::size_t y) const {
    BitSet result(size());
    for_each(rows().adjacent[y], [&](std::size_t between) {
      BitSet others(size(), rows().adjacent[between]);
      if (rows().children.test(y, between)) subtract(others, rows().parents[between]);
      unite(result, others);
    });
    subtract(result, rows().adjacent[y]);
    result.reset(y);
    return result;
  }

  void know(std::size_t y) {
    known_[y] = BitSet(size(), rows().neighbours[y]);
    is_known_.set(y);
  }

  void find_insertions(std::size_t x, std::size_t y) {
    if (limits_.forbidden.test(x, y)) return;
    know(y);
    const BitSet common = state_.common(y, x);
    if (!is_clique(rows().adjacent, common)) return;
    BitSet others(size(), rows().neighbours[y]);
    subtract(others, rows().adjacent[x]);
    extend(x, y, common, common, std::move(others));
  }

  // The insertion with these neighbours of y as parents, and with more of them.
  void extend(std::size_t x, std::size_t y, const BitSet& common, const BitSet& with, BitSet others) {
    pulse::beat();
    const NodeVector parents = state_.parents_with(y, with);
    if (parents.size() >= limits_.max_parents) return;
    const double gain = added(y, parents, x) - score_.local(y, parents);
    if (gain > 0) queue_.push(Step::insert, x, y, with, gain, common);
    for (const std::size_t t : members(others)) {
      others.reset(t);
      BitSet larger = with;
      if (!is_subset(with, rows().adjacent[t]) || limits_.forbidden.test(t, y)) continue;
      larger.set(t);
      extend(x, y, common, larger, others);
    }
  }

  double added(std::size_t y, NodeVector parents, std::size_t x) {
    parents.insert(std::ranges::upper_bound(parents, x), x);
    return score_.local(y, parents);
  }

  void insert_all() {
    while (!queue_.empty()) {
      pulse::progress(steps_);
      const Queue::Waiting next = queue_.pop();
      const ClassOperator& op = next.op;
      if (!has_room(op) || !still_fits(next) || !state_.is_valid(op)) continue;
      if (!state_.apply(op)) continue;
      ++steps_;
      for_each(changed(op).row(), [&](std::size_t y) { find_insertions(y); });
    }
  }

  bool has_room(const ClassOperator& op) const {
    return std::max(count(rows().adjacent[op.x]), count(rows().adjacent[op.y])) < limits_.max_degree;
  }

  bool still_fits(const Queue::Waiting& waiting) const {
    const ClassOperator& op = waiting.op;
    BitSet shared = op.with;
    intersect(shared, rows().adjacent[op.x]);
    return !rows().adjacent.test(op.x, op.y) && state_.common(op.y, op.x) == waiting.common &&
           shared == waiting.common && is_subset(op.with, rows().neighbours[op.y]) &&
           is_clique(rows().adjacent, op.with);
  }

  void find_insertions(std::size_t y) {
    BitSet from = beside_ ? beside(y) : BitSet(size(), dependent_[y]);
    subtract(from, rows().adjacent[y]);
    for_each(from.row(), [&](std::size_t x) {
      queue_.forget(x, y);
      find_insertions(x, y);
    });
  }

  // The ends of an edge that came or went, and nodes that have other neighbours than when they were last known.
  BitSet changed(const ClassOperator& op) const {
    BitSet result(size());
    result.set(op.x);
    result.set(op.y);
    for (const std::size_t i : state_.changed())
      if (!is_known_.test(i) || !(known_[i] == BitSet(size(), rows().neighbours[i]))) result.set(i);
    return result;
  }

  void remove_all() {
    forget_all();
    for (std::size_t y = 0; y < size(); ++y) {
      know(y);
      for_each(rows().parents[y], [&](std::size_t x) { find_removals(x, y); });
      for_each(rows().neighbours[y], [&](std::size_t x) { find_removals(x, y); });
    }
    while (!queue_.empty()) {
      pulse::progress(steps_);
      const Queue::Waiting next = queue_.pop();
      const ClassOperator& op = next.op;
      if (!rows().parents.test(op.y, op.x) && !rows().neighbours.test(op.y, op.x)) continue;
      if (!(state_.common(op.y, op.x) == next.common) || !is_clique(rows().adjacent, op.with)) continue;
      if (state_.apply(op)) refresh_after_removal(op);
    }
  }

  void refresh_after_removal(const ClassOperator& op) {
    ++steps_;
    removed_.set(op.x, op.y);
    removed_.set(op.y, op.x);
    queue_.forget(op.x, op.y);
    BitSet around = changed(op);
    BitSet common(size(), rows().adjacent[op.x]);
    intersect(common, rows().adjacent[op.y]);
    unite(around, common);
    for_each(around.row(), [&](std::size_t y) {
      know(y);
      for_each(rows().parents[y], [&](std::size_t x) { find_removals_anew(x, y); });
      for_each(rows().neighbours[y], [&](std::size_t x) {
        find_removals_anew(x, y);
        find_removals(y, x);
      });
    });
  }

  void find_removals_anew(std::size_t x, std::size_t y) {
    queue_.forget(x, y);
    queue_.forget(y, x);
    find_removals(x, y);
  }

  void find_removals(std::size_t x, std::size_t y) {
    if (limits_.required.test(x, y) || limits_.required.test(y, x)) return;
    const BitSet common = state_.common(y, x);
    keep_removals(x, y, common, BitSet(size()), common);
  }

  void keep_removals(std::size_t x, std::size_t y, const BitSet& common, const BitSet& kept, BitSet others) {
    pulse::beat();
    NodeVector parents = state_.parents_with(y, kept);
    std::erase(parents, x);
    const double gain = score_.local(y, parents) - added(y, parents, x);
    if (gain > 0) queue_.push(Step::remove, x, y, kept, gain, common);
    for (const std::size_t t : members(others)) {
      others.reset(t);
      if (!is_subset(kept, rows().adjacent[t])) continue;
      BitSet larger = kept;
      larger.set(t);
      keep_removals(x, y, common, larger, others);
    }
  }

  Score& score_;
  const ClassLimits& limits_;
  ClassState state_;
  Queue queue_;
  BitMatrix dependent_;
  BitMatrix removed_;
  std::vector<double> scores_;
  // The neighbours that a node had when operators into it were last found.
  std::vector<BitSet> known_;
  BitSet is_known_;
  // Whether pairs are joined beside a third node, in the second run.
  bool beside_ = false;
  std::size_t steps_ = 0;
};

}  // namespace

ClassSearchResult search_by_queue(Score& score, const MarkedGraph& start, const ClassLimits& limits) {
  return QueuedSearch(score, start, limits).run();
}

}  // namespace dagathlon
