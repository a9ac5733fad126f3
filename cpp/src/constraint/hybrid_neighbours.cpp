#include "dagathlon/constraint/hybrid_neighbours.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "dagathlon/test/ties.hpp"

namespace dagathlon {

namespace {

NodeVector nodes_of(const std::vector<Association>& found) {
  NodeVector nodes;
  for (const Association& association : found) nodes.push_back(association.node);
  return nodes;
}

void weakest_first(std::vector<Association>& found) {
  std::ranges::stable_sort(found, std::ranges::greater{}, &Association::rank);
}

// The places of associations, strongest first; where they are equally strong, by place.
std::vector<std::size_t> strongest_first(const std::vector<Association>& found) {
  std::vector<std::size_t> places(found.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return found[place].rank; });
  return places;
}

class HybridSearch {
 public:
  HybridSearch(IndependenceTest& test, std::size_t x, const NeighbourOptions& options)
      : test_(test), x_(x), options_(options), separators_(test.size(), no_node), is_candidate_(test.size()) {}

  // With no second candidate there is nothing to search, and two variables do not separate each other.
  NodeVector run() {
    find_candidates();
    const NodeVector candidates = nodes_of(candidates_);
    if (candidates.size() < 2) return candidates;
    const NodeVector within = superset(candidates);
    if (within.size() < 3) return candidates;
    for (const std::size_t place : strongest_first(candidates_)) start_.push_back(candidates_[place].node);
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
      if (p_value < options_.alpha) candidates_.emplace_back(p_value, y);
    }
    weakest_first(candidates_);
    if (options_.max_given > 0) separate_candidates();
    for (const Association& candidate : candidates_) is_candidate_.set(candidate.node);
  }

  void separate_candidates() {
    std::vector<std::size_t> order = strongest_first(candidates_);
    for (std::size_t place = 0; place < candidates_.size(); ++place) {
      if (options_.always(x_, candidates_[place].node)) continue;
      const std::optional<double> p_value = unless_separated(place, order);
      std::erase(order, place);
      if (!p_value) continue;
      candidates_[place] = {*p_value, candidates_[place].node};
      const auto strength = [&](std::size_t k) { return std::pair(candidates_[k].rank, k); };
      order.insert(std::ranges::lower_bound(order, strength(place), {}, strength), place);
    }
    std::erase_if(candidates_, [&](const Association& a) { return separators_[a.node] != no_node; });
  }

  // The highest p-value of a candidate given one of the others, in their order; none if it is separated.
  std::optional<double> unless_separated(std::size_t place, const std::vector<std::size_t>& order) {
    const Association& candidate = candidates_[place];
    NodeVector nodes;
    for (const std::size_t other : order)
      if (other != place) nodes.push_back(candidates_[other].node);
    const auto found = test_.given_one(x_, candidate.node, nodes, options_.alpha);
    if (found.separating == no_node) return std::max(candidate.p_value, found.highest);
    separators_[candidate.node] = nodes[found.separating];
    return std::nullopt;
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
      std::vector<Association> through = dependent_through(child);
      weakest_first(through);
      for (const std::size_t y : undivided(child, nodes_of(through))) all.push_back(y);
    }
    return all;
  }

  std::vector<Association> dependent_through(std::size_t child) {
    std::vector<Association> found;
    for (std::size_t y = 0; y < test_.size(); ++y) {
      if (y == x_ || is_candidate_.test(y) || separators_[y] == child) continue;
      const std::array<std::size_t, 2> both{separators_[y], child};
      const Nodes given = Nodes(both).subspan(separators_[y] == no_node ? 1 : 0);
      if (given.size() > options_.max_given) continue;
      const double p_value = test_.association(x_, y, given, options_.alpha);
      if (p_value < options_.alpha) found.emplace_back(p_value, y);
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
  // The candidate that separated a variable from x.
  NodeVector separators_;
  BitSet is_candidate_;
  std::vector<Association> candidates_;
  // The blankets are searched from the two strongest candidates on.
  NodeVector start_;
};

}  // namespace

NodeVector hybrid_neighbours(IndependenceTest& test, std::size_t x, const NeighbourOptions& options) {
  return HybridSearch(test, x, options).run();
}

}  // namespace dagathlon
