#include "dagathlon/constraint/local_structure.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "dagathlon/graph/orientation_rules.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/test/test_team.hpp"
#include "dagathlon/test/ties.hpp"

namespace dagathlon {

NodeSets symmetric(const NodeSets& sets) {
  NodeSets result = sets;
  for (std::size_t x = 0; x < sets.size(); ++x)
    std::erase_if(result[x], [&](std::size_t y) { return !contains(sets[y], x); });
  return result;
}

namespace {

// What find(test, x) finds for every node x; several threads share the nodes.
template <class Find>
NodeSets of_each_node(IndependenceTest& test, Find&& find) {
  NodeSets result(test.size());
  TestTeam team(test, test.size());
  team.each(test.size(), [&](std::size_t x, IndependenceTest& own) {
    pulse::progress(x, test.size());
    result[x] = find(own, x);
  });
  return result;
}

}  // namespace

NodeSets markov_blankets(IndependenceTest& test, const BlanketOptions& options) {
  return symmetric(of_each_node(test, [&](IndependenceTest& own, std::size_t x) {
    return markov_blanket(own, x, others(own.size(), x), options);
  }));
}

NodeSets neighbourhoods(IndependenceTest& test, const NeighbourOptions& options) {
  return of_each_node(test, [&](IndependenceTest& own, std::size_t x) { return neighbourhood(own, x, options); });
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
  return symmetric(of_each_node(test, [&](IndependenceTest& own, std::size_t x) {
    NodeVector result = blankets[x];
    std::erase_if(result, [&](std::size_t y) {
      if (options.always(x, y)) return false;
      if (options.never(x, y)) return true;
      // The only member of a blanket is a neighbour, whatever a test without conditions would say.
      if (blankets[x].size() == 1) return false;
      const NodeVector around_x = without(blankets[x], y);
      const NodeVector around_y = without(blankets[y], x);
      const NodeVector& smaller = around_x.size() <= around_y.size() ? around_x : around_y;
      return separable(own, x, y, smaller, 0, options);
    });
    return result;
  }));
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
  const bool separated = any_subset_of(around_x.size() < around_y.size() ? around_x : around_y, 0,
                                       options.max_given - 1, [&](Nodes subset) {
                                         NodeVector given(subset.begin(), subset.end());
                                         given.push_back(middle);
                                         highest = std::max(highest, test.test(x, y, given).p_value);
                                         return highest >= options.alpha;
                                       });
  return separated ? std::nullopt : std::optional(highest);
}

std::vector<Collider> find_colliders(IndependenceTest& test, const NodeSets& blankets, const BitMatrix& adjacent,
                                     const DirectionOptions& options) {
  const std::vector<Triple> triples = unshielded_triples(adjacent);
  std::vector<std::optional<double>> p_values(triples.size());
  TestTeam team(test, triples.size());
  team.each(triples.size(), [&](std::size_t k, IndependenceTest& own) {
    p_values[k] = collider_p_value(own, blankets, triples[k], options);
  });
  std::vector<Collider> found;
  for (std::size_t k = 0; k < triples.size(); ++k)
    if (p_values[k]) found.push_back({triples[k], *p_values[k]});
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
