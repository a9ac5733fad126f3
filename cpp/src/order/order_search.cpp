#include "dagathlon/order/order_search.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "dagathlon/graph/dag.hpp"
#include "dagathlon/graph/equivalence.hpp"
#include "dagathlon/search/equivalence_search.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/order/scored_order.hpp"
#include "dagathlon/order/tuck_search.hpp"

namespace dagathlon {

namespace {

std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// Searches over orders from several starts.
class Starts {
 public:
  Starts(Score& score, const SearchLimits& limits, std::uint64_t seed)
      : score_(score), limits_(limits), random_(seed, 0), best_{MarkedGraph(score.size()), 0.0, 0, 0} {}

  ScoredOrder& order() { return *order_; }
  Stream& random() { return random_; }
  // Notes the order from which the search goes on: the one to give when the deadline comes.
  void settle() {
    settled_ = order_->order();
    pulse::progress(best_.steps);
  }
  void settle_after_step() {
    ++best_.steps;
    settle();
  }

  // Calls improve() from each starting order and keeps the best DAG.
  template <class Improve>
  SearchResult best_of(const OrderStarts& starts, Improve&& improve) {
    const auto from = [&](std::vector<std::size_t> first) {
      settled_.clear();
      order_->set(std::move(first));
      settle();
      improve();
      keep();
    };
    if (pulse::until_deadline([&] {
          order_.emplace(score_, limits_);
          from(in_order(score_.size()));
          for (const std::vector<std::size_t>& given : starts.given) from(given);
          for (std::size_t start = 1; start < starts.count; ++start) {
            std::vector<std::size_t> first = in_order(score_.size());
            random_.shuffle(std::span(first));
            from(std::move(first));
          }
        }))
      return best_;
    finish_early();
    return best_;
  }

 private:
  void keep() {
    if (found_ && !(order_->score() > best_.score)) return;
    found_ = true;
    best_.score = order_->score();
    best_.dag = order_->dag();
  }

  void finish_early() {
    if (!settled_.empty()) {
      order_->set(settled_);
      keep();
    } else if (!found_) {
      for (std::size_t i = 0; i < limits_.required.size(); ++i)
        for_each(limits_.required[i], [&](std::size_t j) { best_.dag.set_directed(i, j); });
      best_.score = total(score_, best_.dag);
    }
  }

  Score& score_;
  const SearchLimits& limits_;
  Stream random_;
  SearchResult best_;
  bool found_ = false;
  std::optional<ScoredOrder> order_;
  std::vector<std::size_t> settled_;
};

void move_nodes(Starts& starts, std::size_t n, bool shuffled) {
  std::vector<std::size_t> nodes = in_order(n);
  for (bool improved = true; improved;) {
    improved = false;
    if (shuffled) starts.random().shuffle(std::span(nodes));
    Nodes rest = nodes;
    while (const auto moved = starts.order().move_first(rest)) {
      improved = true;
      starts.settle_after_step();
      rest = rest.subspan(*moved + 1);
    }
  }
}

// The order of a DAG to which the backward phase of GES leads; whether it led anywhere.
bool delete_edges(Score& score, ScoredOrder& order, const SearchLimits& limits) {
  const ClassSearch backward{{Step::remove},
                             false,
                             false,
                             false,
                             false,
                             {score.size(), score.size(), false, limits.forbidden, limits.required},
                             {}};
  const pulse::Part part;
  const ClassSearchResult found = search_classes(score, order.dag(), backward);
  if (found.steps == 0) return false;
  const double before = order.score();
  const std::vector<std::size_t> old = order.order();
  order.set(topological_order(std::get<MarkedGraph>(extension(found.graph))));
  if (order.score() > before + order.least_gain()) return true;
  order.set(old);
  return false;
}

}  // namespace

SearchResult boss(Score& score, const SearchLimits& limits, const Boss& how) {
  Starts starts(score, limits, how.starts.seed);
  return starts.best_of(how.starts, [&] {
    move_nodes(starts, score.size(), how.random);
    while (how.backward && delete_edges(score, starts.order(), limits)) {
      starts.settle();
      move_nodes(starts, score.size(), how.random);
    }
  });
}

SearchResult grasp(Score& score, const SearchLimits& limits, const Grasp& how) {
  Starts starts(score, limits, how.starts.seed);
  return starts.best_of(how.starts, [&] {
    // From the strictest rule to the weakest: GRaSP0, GRaSP1, GRaSP2.
    for (const auto& [uncovered, nonsingular] :
         {std::pair(std::size_t{0}, std::size_t{0}), std::pair(how.uncovered_depth, std::size_t{0}),
          std::pair(how.uncovered_depth, how.nonsingular_depth)}) {
      TuckSearch tucks(starts.order(), {how.depth, uncovered, nonsingular});
      while (tucks.improve()) starts.settle_after_step();
    }
  });
}

}  // namespace dagathlon
