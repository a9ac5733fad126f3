#include "dagathlon/hybrid_neighbours.hpp"

#include <algorithm>

namespace dagathlon {

namespace {

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
    std::ranges::sort(superset);
    NodeVector result = adjacent(x_, superset);
    for (const std::size_t y : candidates_)
      if (!contains(result, y) && (options_.always(x_, y) || contains(adjacent(y, seen_from(y, superset)), x_)))
        result.push_back(y);
    return result;
  }

 private:
  bool independent(std::size_t y, Nodes given) {
    return given.size() <= options_.max_given && test_.independent(x_, y, given, options_.alpha);
  }

  // Variables that no set of at most one candidate separates from x.
  void find_candidates() {
    for (const std::size_t y : others(test_.size(), x_)) {
      if (options_.never(x_, y)) continue;
      if (options_.always(x_, y) || !independent(y, {})) candidates_.push_back(y);
    }
    const NodeVector dependent = candidates_;
    for (const std::size_t y : dependent) {
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
    NodeVector found;
    for (const std::size_t y : others(test_.size(), x_)) {
      if (contains(candidates_, y) || contains(separators_[y], child)) continue;
      NodeVector given = separators_[y];
      given.push_back(child);
      if (!independent(y, given)) found.push_back(y);
    }
    return found;
  }

  void drop_separable(std::size_t child, NodeVector& spouses) {
    const NodeVector before = spouses;
    for (const std::size_t y : before) {
      const bool separated = std::ranges::any_of(spouses, [&](std::size_t z) {
        const NodeVector given{child, z};
        return z != y && independent(y, given);
      });
      if (separated) std::erase(spouses, y);
    }
  }

  NodeVector seen_from(std::size_t y, Nodes superset) const {
    NodeVector result = without(superset, y);
    result.push_back(x_);
    std::ranges::sort(result);
    return result;
  }

  // The blanket of a node inside a set, less the members that other members separate from it.
  NodeVector adjacent(std::size_t node, Nodes within) {
    BlanketOptions blanket;
    blanket.search = BlanketSearch::false_discovery;
    blanket.alpha = options_.alpha;
    blanket.max_given = options_.max_given;
    blanket.required = options_.required;
    const NodeVector members = markov_blanket(test_, node, within, blanket);
    NodeVector result = members;
    std::erase_if(result, [&](std::size_t y) {
      return !options_.always(node, y) &&
             separable(test_, node, y, without(members, y), 0, options_.max_given, options_.alpha);
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
