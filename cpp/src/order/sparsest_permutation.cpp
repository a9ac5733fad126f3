#include "dagathlon/order/sparsest_permutation.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

// A DAG by the parents of each node, and its number of arcs.
struct Parents {
  std::vector<BitSet> of;
  std::size_t arcs = 0;

  bool covered(std::size_t x, std::size_t y) const {
    BitSet others = of[y];
    others.reset(x);
    return std::ranges::equal(ConstRow(others), ConstRow(of[x]));
  }
  // As a key of a set of DAGs that were seen.
  std::vector<Word> words() const {
    std::vector<Word> result;
    for (const BitSet& row : of) {
      const ConstRow words = row;
      result.insert(result.end(), words.begin(), words.end());
    }
    return result;
  }
};

std::vector<std::size_t> members(ConstRow row) {
  std::vector<std::size_t> result;
  for_each(row, [&](std::size_t i) { result.push_back(i); });
  return result;
}

class Search {
 public:
  Search(IndependenceTest& test, const SparsestPermutation& how) : test_(test), how_(how), random_(how.seed, 0) {}

  SparsestPermutationResult run() {
    std::vector<Parents> starts = draw_starts();
    best_ = starts.front();
    pulse::until_deadline([&] {
      for (Parents& start : starts) descend(std::move(start));
    });
    MarkedGraph dag(size());
    for (std::size_t y = 0; y < size(); ++y) for_each(best_.of[y], [&](std::size_t x) { dag.set_directed(x, y); });
    return {std::move(dag), steps_};
  }

 private:
  std::size_t size() const { return test_.size(); }

  bool independent(std::size_t x, std::size_t y, const BitSet& given) {
    return test_.independent(x, y, members(given), how_.alpha);
  }

  // The sparsest of all drawn DAGs, in the order of their number of arcs.
  std::vector<Parents> draw_starts() {
    const std::size_t wanted = std::max<std::size_t>(how_.starts, 1);
    const std::vector<BitSet> dependent = how_.by_degree ? dependent_pairs() : std::vector<BitSet>{};
    std::vector<Parents> drawn;
    for (std::size_t i = 0; i < wanted * std::max<std::size_t>(how_.draws, 1); ++i)
      drawn.push_back(dag_of(how_.by_degree ? degree_order(dependent) : random_order()));
    std::ranges::stable_sort(drawn, {}, &Parents::arcs);
    drawn.resize(wanted);
    return drawn;
  }

  std::vector<std::size_t> random_order() {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random_.shuffle(std::span(order));
    return order;
  }

  std::vector<BitSet> dependent_pairs() {
    std::vector<BitSet> result(size(), BitSet(size()));
    BitSet rest(size());
    for (std::size_t i = 0; i < size(); ++i) rest.set(i);
    for (std::size_t x = 0; x < size(); ++x) {
      pulse::progress(x, size());
      for (std::size_t y = x + 1; y < size(); ++y) {
        BitSet given = rest;
        given.reset(x);
        given.reset(y);
        if (independent(x, y, given)) continue;
        result[x].set(y);
        result[y].set(x);
      }
    }
    return result;
  }

  // The node of lowest degree, ties at random, goes last, and its neighbours are joined.
  std::vector<std::size_t> degree_order(std::vector<BitSet> adjacent) {
    std::vector<std::size_t> left = random_order();
    std::vector<std::size_t> order(size());
    for (std::size_t place = size(); place-- > 0;) {
      const auto lowest = std::ranges::min_element(left, {}, [&](std::size_t i) { return count(adjacent[i]); });
      const std::size_t node = *lowest;
      left.erase(lowest);
      order[place] = node;
      for (const std::size_t i : members(adjacent[node])) {
        unite(adjacent[i], adjacent[node]);
        adjacent[i].reset(i);
        adjacent[i].reset(node);
      }
    }
    return order;
  }

  Parents dag_of(const std::vector<std::size_t>& order) {
    Parents dag{std::vector<BitSet>(size(), BitSet(size()))};
    BitSet before(size());
    std::size_t done = 0;
    for (const std::size_t y : order) {
      pulse::progress(done++, size());
      for (const std::size_t x : members(before)) {
        BitSet given = before;
        given.reset(x);
        if (independent(x, y, given)) continue;
        dag.of[y].set(x);
        ++dag.arcs;
      }
      before.set(y);
    }
    return dag;
  }

  // The covered arc x → y becomes y → x, and what the new order makes independent loses its arc.
  Parents turned(const Parents& dag, std::size_t x, std::size_t y) {
    const BitSet shared = dag.of[x];
    Parents result = dag;
    result.of[y] = BitSet(size());
    result.of[x] = BitSet(size());
    result.of[x].set(y);
    for (const std::size_t k : members(shared)) {
      BitSet given = shared;
      given.reset(k);
      if (!independent(k, y, given)) result.of[y].set(k);
      given.set(y);
      if (!independent(k, x, given)) result.of[x].set(k);
    }
    result.arcs -= 2 * count(shared) + 1;
    result.arcs += count(result.of[x]) + count(result.of[y]);
    return result;
  }

  void descend(Parents dag) {
    for (std::size_t step = 0; step < how_.max_steps; ++step) {
      seen_.clear();
      seen_.insert(dag.words());
      goal_ = dag.arcs;
      Parents best = dag;
      search(dag, 0, best);
      if (best.arcs >= dag.arcs) break;
      dag = std::move(best);
      if (dag.arcs < best_.arcs) best_ = dag;
      pulse::progress(++steps_);
    }
  }

  // Depth first; whether the search is over because a sparser DAG is enough.
  bool search(const Parents& dag, std::size_t depth, Parents& best) {
    for (std::size_t y = 0; y < size(); ++y)
      for (const std::size_t x : members(dag.of[y])) {
        pulse::beat();
        if (!dag.covered(x, y)) continue;
        Parents next = turned(dag, x, y);
        if (next.arcs < best.arcs) best = next;
        if (best.arcs < goal_ && !how_.take_sparsest) return true;
        if (next.arcs < goal_ || depth >= how_.depth || !seen_.insert(next.words()).second) continue;
        if (search(next, depth + 1, best)) return true;
      }
    return false;
  }

  IndependenceTest& test_;
  const SparsestPermutation& how_;
  Stream random_;
  std::set<std::vector<Word>> seen_;
  std::size_t goal_ = 0;
  std::size_t steps_ = 0;
  // The sparsest DAG so far.
  Parents best_;
};

}  // namespace

SparsestPermutationResult sparsest_permutation(IndependenceTest& test, const SparsestPermutation& how) {
  if (test.size() == 0) return {MarkedGraph(0), 0};
  return Search(test, how).run();
}

}  // namespace dagathlon
