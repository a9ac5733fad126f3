#include "dagathlon/order_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "dagathlon/dag.hpp"
#include "dagathlon/equivalence.hpp"
#include "dagathlon/equivalence_search.hpp"
#include "dagathlon/random.hpp"
#include "dagathlon/scored_order.hpp"

namespace dagathlon {

namespace {

std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Calls improve() from each starting order and keeps the best DAG.
template <class Improve>
SearchResult best_of_starts(ScoredOrder& order, std::size_t n, std::size_t starts, Stream& random,
                            Improve&& improve) {
  SearchResult best{MarkedGraph(n), 0.0, 0, 0};
  for (std::size_t start = 0; start < std::max<std::size_t>(starts, 1); ++start) {
    std::vector<std::size_t> first = in_order(n);
    if (start > 0) random.shuffle(std::span(first));
    order.set(std::move(first));
    best.steps += improve();
    if (start > 0 && !(order.score() > best.score)) continue;
    best.score = order.score();
    best.dag = order.dag();
  }
  return best;
}

std::size_t move_nodes(ScoredOrder& order, std::size_t n, bool shuffled, Stream& random) {
  std::size_t moves = 0;
  std::vector<std::size_t> nodes = in_order(n);
  for (bool improved = true; improved;) {
    improved = false;
    if (shuffled) random.shuffle(std::span(nodes));
    for (const std::size_t node : nodes)
      if (order.move_to_best_place(node)) {
        improved = true;
        ++moves;
      }
  }
  return moves;
}

// The order of a DAG to which the backward phase of GES leads; whether it led anywhere.
bool delete_edges(Score& score, ScoredOrder& order, const SearchLimits& limits) {
  const ClassSearch backward{{Step::remove}, false, false, false,
                             {score.size(), score.size(), false, limits.forbidden, limits.required}, {}};
  const ClassSearchResult found = search_classes(score, order.dag(), backward);
  if (found.steps == 0) return false;
  const double before = order.score();
  const std::vector<std::size_t> old = order.order();
  order.set(topological_order(std::get<MarkedGraph>(extension(found.graph))));
  if (order.score() > before + tie_tolerance) return true;
  order.set(old);
  return false;
}

// A depth-first search of tucks that raises the score in the end.
class Tucks {
 public:
  Tucks(ScoredOrder& order, std::size_t n, Grasp how) : order_(order), n_(n), how_(how) {}

  bool improve() {
    start_ = order_.score();
    return search(1);
  }

 private:
  bool search(std::size_t depth) {
    for (std::size_t y = 0; y < n_; ++y) {
      const std::vector<std::size_t> parents = order_.parents(y);
      for (const std::size_t x : parents) {
        if (depth > how_.uncovered_depth && !is_covered(x, y)) continue;
        if (depth > how_.nonsingular_depth && !order_.is_singular(x, y)) continue;
        const ScoredOrder::Stretch saved = order_.between(x, y);
        if (try_tuck(x, y, depth)) return true;
        order_.put_back(saved);
      }
    }
    return false;
  }

  bool try_tuck(std::size_t x, std::size_t y, std::size_t depth) {
    if (!order_.tuck(x, y)) return false;
    const double now = order_.score();
    if (now > start_ + tie_tolerance) return true;
    return now > start_ - tie_tolerance && depth < how_.depth && search(depth + 1);
  }

  // Whether the parents of y are x and those of x.
  bool is_covered(std::size_t x, std::size_t y) const {
    const std::vector<std::size_t>& of_x = order_.parents(x);
    const std::vector<std::size_t>& of_y = order_.parents(y);
    return of_y.size() == of_x.size() + 1 && std::ranges::includes(of_y, of_x);
  }

  ScoredOrder& order_;
  std::size_t n_;
  Grasp how_;
  double start_ = 0;
};

}  // namespace

SearchResult boss(Score& score, const SearchLimits& limits, const Boss& how) {
  ScoredOrder order(score, limits);
  Stream random(how.seed, 0);
  return best_of_starts(order, score.size(), how.starts, random, [&] {
    std::size_t moves = move_nodes(order, score.size(), how.random, random);
    while (how.backward && delete_edges(score, order, limits))
      moves += move_nodes(order, score.size(), how.random, random);
    return moves;
  });
}

SearchResult grasp(Score& score, const SearchLimits& limits, const Grasp& how) {
  ScoredOrder order(score, limits);
  Stream random(how.seed, 0);
  return best_of_starts(order, score.size(), how.starts, random, [&] {
    // From the strictest rule to the weakest: GRaSP0, GRaSP1, GRaSP2.
    std::size_t steps = 0;
    for (const auto& [uncovered, nonsingular] : {std::pair(std::size_t{0}, std::size_t{0}),
                                                 std::pair(how.uncovered_depth, std::size_t{0}),
                                                 std::pair(how.uncovered_depth, how.nonsingular_depth)}) {
      Tucks tucks(order, score.size(), {how.depth, uncovered, nonsingular, how.starts, how.seed});
      while (tucks.improve()) ++steps;
    }
    return steps;
  });
}

}  // namespace dagathlon
