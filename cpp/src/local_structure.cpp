#include "dagathlon/local_structure.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "dagathlon/orientation_rules.hpp"
#include "dagathlon/pulse.hpp"
#include "dagathlon/ties.hpp"

namespace dagathlon {

NodeSets symmetric(const NodeSets& sets) {
  NodeSets result = sets;
  for (std::size_t x = 0; x < sets.size(); ++x)
    std::erase_if(result[x], [&](std::size_t y) { return !contains(sets[y], x); });
  return result;
}

NodeSets markov_blankets(IndependenceTest& test, const BlanketOptions& options) {
  NodeSets result;
  for (std::size_t x = 0; x < test.size(); ++x) {
    pulse::progress(x, test.size());
    result.push_back(markov_blanket(test, x, others(test.size(), x), options));
  }
  return symmetric(result);
}

NodeSets neighbourhoods(IndependenceTest& test, const NeighbourOptions& options) {
  NodeSets result;
  for (std::size_t x = 0; x < test.size(); ++x) {
    pulse::progress(x, test.size());
    result.push_back(neighbourhood(test, x, options));
  }
  return result;
}

NodeSets with_neighbours(const NodeSets& neighbours) {
  NodeSets result;
  for (std::size_t x = 0; x < neighbours.size(); ++x) {
    std::set<std::size_t> around(neighbours[x].begin(), neighbours[x].end());
    for (const std::size_t y : neighbours[x]) around.insert(neighbours[y].begin(), neighbours[y].end());
    around.erase(x);
    result.emplace_back(around.begin(), around.end());
  }
  return result;
}

NodeSets neighbours_in_blankets(IndependenceTest& test, const NodeSets& blankets, const NeighbourOptions& options) {
  NodeSets result = blankets;
  for (std::size_t x = 0; x < blankets.size(); ++x)
    std::erase_if(result[x], [&](std::size_t y) {
      if (options.always(x, y)) return false;
      if (options.never(x, y)) return true;
      // The only member of a blanket is a neighbour, whatever a test without conditions would say.
      if (blankets[x].size() == 1) return false;
      const NodeVector around_x = without(blankets[x], y);
      const NodeVector around_y = without(blankets[y], x);
      const NodeVector& smaller = around_x.size() <= around_y.size() ? around_x : around_y;
      return separable(test, x, y, smaller, 0, options);
    });
  return symmetric(result);
}

BitMatrix adjacency_of(const NodeSets& neighbours) {
  BitMatrix result(neighbours.size());
  for (std::size_t x = 0; x < neighbours.size(); ++x)
    for (const std::size_t y : neighbours[x]) result.set(x, y);
  return result;
}

namespace {

struct Collider {
  Triple triple;
  double p_value;
};

// The highest p-value of all tests of the ends given the middle, if all say that they depend.
std::optional<double> collider_p_value(IndependenceTest& test, const NodeSets& blankets, const Triple& triple,
                                       const DirectionOptions& options) {
  const auto [x, middle, y] = triple;
  if (options.max_given == 0) return std::nullopt;
  const NodeVector around_x = without(without(blankets[x], middle), y);
  const NodeVector around_y = without(without(blankets[y], middle), x);
  double highest = 0;
  const bool separated = any_subset_of(
      around_x.size() < around_y.size() ? around_x : around_y, 0, options.max_given - 1, [&](Nodes subset) {
        NodeVector given(subset.begin(), subset.end());
        given.push_back(middle);
        highest = std::max(highest, test.test(x, y, given).p_value);
        return highest >= options.alpha;
      });
  return separated ? std::nullopt : std::optional(highest);
}

std::vector<Collider> find_colliders(IndependenceTest& test, const NodeSets& blankets, const BitMatrix& adjacent,
                                     const DirectionOptions& options) {
  std::vector<Collider> found;
  for (const Triple& triple : unshielded_triples(adjacent))
    if (const auto p_value = collider_p_value(test, blankets, triple, options)) found.push_back({triple, *p_value});
  std::ranges::stable_sort(found, {}, [](const Collider& c) { return without_rounding(c.p_value); });
  return found;
}

}  // namespace

MarkedGraph directed_by_blankets(IndependenceTest& test, const NodeSets& blankets, const BitMatrix& adjacent,
                                 const DirectionOptions& options) {
  OrientationState state(adjacent);
  const bool known = options.forbidden.size() != 0;
  if (known) state.lock_knowledge(options.forbidden, options.required);
  for (const Collider& collider : find_colliders(test, blankets, adjacent, options))
    direct_collider(state, collider.triple);
  apply_rules(state, {}, {.mark_conflicts = false, .acyclic = true, .fourth = known, .no_new_colliders = true});
  return state.graph();
}

}  // namespace dagathlon
