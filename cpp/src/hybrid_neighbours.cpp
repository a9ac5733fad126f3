#include "dagathlon/hybrid_neighbours.hpp"

#include <algorithm>
#include <ranges>

#include "dagathlon/ties.hpp"

namespace dagathlon {

namespace {

struct Association {
  double p_value;
  std::size_t node;
};

double rank(const Association& association) { return without_rounding(association.p_value); }

NodeVector nodes_of(const std::vector<Association>& found) {
  NodeVector nodes;
  for (const Association& association : found) nodes.push_back(association.node);
  return nodes;
}

void weakest_first(std::vector<Association>& found) {
  std::ranges::stable_sort(found, std::ranges::greater{}, rank);
}

// The strongest associations, that of x itself left out.
NodeVector strongest_first(std::vector<Association> found, std::size_t x) {
  std::erase_if(found, [x](const Association& a) { return a.node == x; });
  std::ranges::stable_sort(found, {}, rank);
  return nodes_of(found);
}

class HybridSearch {
 public:
  HybridSearch(IndependenceTest& test, std::size_t x, const NeighbourOptions& options)
      : test_(test), x_(x), options_(options), separators_(test.size()) {}

  // With no second candidate there is nothing to search, and two variables do not separate each other.
  NodeVector run() {
    find_candidates();
    const NodeVector candidates = nodes_of(candidates_);
    if (candidates.size() < 2) return candidates;
    const NodeVector within = superset(candidates);
    if (within.size() < 3) return candidates;
    start_ = strongest_first(candidates_, x_);
    start_.resize(2);
    NodeVector result = adjacent(within);
    for (const std::size_t y : candidates)
      if (!contains(result, y) && found_from(y, within)) result.push_back(y);
    std::erase_if(result, [this](std::size_t y) { return options_.never(x_, y); });
    return result;
  }

 private:
  bool independent(std::size_t y, Nodes given) {
    return given.size() <= options_.max_given && test_.independent(x_, y, given, options_.alpha);
  }

  // Variables that no set of at most one candidate separates from x. The weakest are tried first, and
  // the strongest are the first to be conditioned on; what counts is the weakest result so far.
  void find_candidates() {
    for (const std::size_t y : others(test_.size(), x_)) {
      if (options_.never(x_, y)) continue;
      const double p_value = options_.always(x_, y) ? 0 : test_.association(x_, y, {}, options_.alpha);
      if (p_value < options_.alpha) candidates_.push_back({p_value, y});
    }
    weakest_first(candidates_);
    if (options_.max_given == 0) return;
    for (const std::size_t y : nodes_of(candidates_))
      if (!options_.always(x_, y)) try_to_separate(y);
  }

  void try_to_separate(std::size_t y) {
    const auto place = std::ranges::find(candidates_, y, &Association::node);
    for (const std::size_t z : strongest_first(candidates_, y)) {
      const double p_value = test_.association(x_, y, Nodes(&z, 1), options_.alpha);
      place->p_value = std::max(place->p_value, p_value);
      if (p_value < options_.alpha) continue;
      separators_[y] = {z};
      candidates_.erase(place);
      return;
    }
  }

  // The candidates, then the spouses that they lead to, each once.
  NodeVector superset(const NodeVector& candidates) {
    NodeVector result = candidates;
    for (const std::size_t y : spouses(candidates))
      if (!contains(result, y)) result.push_back(y);
    return result;
  }

  // Variables that a candidate, as their common child, makes dependent on x.
  NodeVector spouses(const NodeVector& candidates) {
    NodeVector all;
    for (const std::size_t child : candidates) {
      std::vector<Association> through = dependent_through(child, candidates);
      weakest_first(through);
      for (const std::size_t y : undivided(child, nodes_of(through))) all.push_back(y);
    }
    return all;
  }

  std::vector<Association> dependent_through(std::size_t child, const NodeVector& candidates) {
    std::vector<Association> found;
    for (const std::size_t y : others(test_.size(), x_)) {
      if (contains(candidates, y) || contains(separators_[y], child)) continue;
      NodeVector given = separators_[y];
      given.push_back(child);
      if (given.size() > options_.max_given) continue;
      const double p_value = test_.association(x_, y, given, options_.alpha);
      if (p_value < options_.alpha) found.push_back({p_value, y});
    }
    return found;
  }

  // The spouses that no other one, with the child, separates from x.
  NodeVector undivided(std::size_t child, NodeVector spouses) {
    for (const std::size_t y : NodeVector(spouses)) {
      const bool separated = std::ranges::any_of(spouses, [&](std::size_t z) {
        const NodeVector given{child, z};
        return z != y && independent(y, given);
      });
      if (separated) std::erase(spouses, y);
    }
    return spouses;
  }

  NodeVector blanket_of(std::size_t node, Nodes within, NodeVector start) {
    BlanketOptions blanket;
    blanket.search = BlanketSearch::false_discovery;
    blanket.alpha = options_.alpha;
    blanket.max_given = options_.max_given;
    blanket.required = options_.required;
    blanket.start = std::move(start);
    return markov_blanket(test_, node, within, blanket);
  }

  bool apart(std::size_t node, std::size_t y, Nodes members) {
    return !options_.always(node, y) && separable(test_, node, y, without(members, y), 0, options_);
  }

  // The blanket of x inside a set, less the members that other members separate from it.
  NodeVector adjacent(Nodes within) {
    const NodeVector members = blanket_of(x_, within, start_);
    NodeVector result = members;
    std::erase_if(result, [&](std::size_t y) { return apart(x_, y, members); });
    return result;
  }

  // Whether a candidate that was given up has x as a neighbour from its own side. The search starts
  // where that of x did, though y may be there itself: a table given y says nothing, so discrete
  // variables that the search starts with are not found.
  bool found_from(std::size_t y, Nodes within) {
    NodeVector around{x_};
    for (const std::size_t node : within)
      if (node != y) around.push_back(node);
    const NodeVector members = blanket_of(y, around, start_);
    return contains(members, x_) && !apart(y, x_, without(members, y));
  }

  IndependenceTest& test_;
  std::size_t x_;
  const NeighbourOptions& options_;
  std::vector<NodeVector> separators_;
  std::vector<Association> candidates_;
  // The blankets are searched from the two strongest candidates on.
  NodeVector start_;
};

}  // namespace

NodeVector hybrid_neighbours(IndependenceTest& test, std::size_t x, const NeighbourOptions& options) {
  return HybridSearch(test, x, options).run();
}

}  // namespace dagathlon
