#include "dagathlon/hybrid_neighbours.hpp"

#include <algorithm>
#include <ranges>

namespace dagathlon {

namespace {

struct Association {
  double p_value;
  std::size_t node;
};

NodeVector by_strength(std::vector<Association>& found) {
  std::ranges::stable_sort(found, {}, &Association::p_value);
  NodeVector nodes;
  for (const Association& association : found) nodes.push_back(association.node);
  return nodes;
}

class HybridSearch {
 public:
  HybridSearch(IndependenceTest& test, std::size_t x, const NeighbourOptions& options)
      : test_(test), x_(x), options_(options), separators_(test.size()) {}

  NodeVector run() {
    find_candidates();
    if (candidates_.size() < 2) return candidates_;
    NodeVector superset = candidates_;
    for (const std::size_t y : spouses())
      if (!contains(superset, y)) superset.push_back(y);
    if (superset.size() < 3) return candidates_;
    std::ranges::sort(superset);
    NodeVector result = adjacent(superset);
    std::erase_if(result, [&](std::size_t y) { return options_.never(x_, y); });
    return result;
  }

 private:
  bool independent(std::size_t y, Nodes given) {
    return given.size() <= options_.max_given && test_.independent(x_, y, given, options_.alpha);
  }

  // Variables that no set of at most one candidate separates from x. The weakest are tried first, and
  // the strongest are the first to be conditioned on.
  void find_candidates() {
    std::vector<Association> dependent;
    for (const std::size_t y : others(test_.size(), x_)) {
      if (options_.never(x_, y)) continue;
      const double p_value = options_.always(x_, y) ? 0 : test_.test(x_, y, {}).p_value;
      if (p_value < options_.alpha) dependent.push_back({p_value, y});
    }
    candidates_ = by_strength(dependent);
    const NodeVector before = candidates_;
    for (const std::size_t y : std::views::reverse(before)) {
      if (options_.always(x_, y)) continue;
      const auto separator = std::ranges::find_if(
          candidates_, [&](std::size_t z) { return z != y && independent(y, Nodes(&z, 1)); });
      if (separator == candidates_.end()) continue;
      separators_[y] = {*separator};
      std::erase(candidates_, y);
    }
  }

  // Variables that a candidate, as their common child, makes dependent on x.
  NodeVector spouses() {
    NodeVector all;
    for (const std::size_t child : candidates_) {
      NodeVector through = dependent_through(child);
      drop_separable(child, through);
      all.insert(all.end(), through.begin(), through.end());
    }
    return all;
  }

  NodeVector dependent_through(std::size_t child) {
    std::vector<Association> found;
    for (const std::size_t y : others(test_.size(), x_)) {
      if (contains(candidates_, y) || contains(separators_[y], child)) continue;
      NodeVector given = separators_[y];
      given.push_back(child);
      if (given.size() > options_.max_given) continue;
      const double p_value = test_.test(x_, y, given).p_value;
      if (p_value < options_.alpha) found.push_back({p_value, y});
    }
    return by_strength(found);
  }

  void drop_separable(std::size_t child, NodeVector& spouses) {
    const NodeVector before = spouses;
    for (const std::size_t y : std::views::reverse(before)) {
      const bool separated = std::ranges::any_of(spouses, [&](std::size_t z) {
        const NodeVector given{child, z};
        return z != y && independent(y, given);
      });
      if (separated) std::erase(spouses, y);
    }
  }

  // The blanket of x inside a set, less the members that other members separate from it.
  NodeVector adjacent(Nodes within) {
    BlanketOptions blanket;
    blanket.search = BlanketSearch::false_discovery;
    blanket.alpha = options_.alpha;
    blanket.max_given = options_.max_given;
    blanket.required = options_.required;
    const NodeVector members = markov_blanket(test_, x_, within, blanket);
    NodeVector result = members;
    std::erase_if(result, [&](std::size_t y) {
      return !options_.always(x_, y) &&
             separable(test_, x_, y, without(members, y), 0, options_.max_given, options_.alpha);
    });
    return result;
  }

  IndependenceTest& test_;
  std::size_t x_;
  const NeighbourOptions& options_;
  std::vector<NodeVector> separators_;
  NodeVector candidates_;
};

}  // namespace

NodeVector hybrid_neighbours(IndependenceTest& test, std::size_t x, const NeighbourOptions& options) {
  return HybridSearch(test, x, options).run();
}

}  // namespace dagathlon
