#include "dagathlon/constraint/colliders.hpp"

#include <algorithm>
#include <utility>

#include "dagathlon/test/test_team.hpp"

namespace dagathlon {

std::vector<Triple> unshielded_triples(const BitMatrix& adjacent) {
  std::vector<Triple> triples;
  BitSet ends(adjacent.size());
  for (std::size_t b = 0; b < adjacent.size(); ++b)
    for_each(adjacent[b], [&](std::size_t a) {
      ends = BitSet(adjacent.size(), adjacent[b]);
      subtract(ends, adjacent[a]);
      for_each(ends, [&](std::size_t c) {
        if (a < c) triples.push_back({a, b, c});
      });
    });
  return triples;
}

bool is_ambiguous(const AmbiguousTriples& triples, std::size_t a, std::size_t b, std::size_t c) {
  return !triples.empty() && triples.contains({std::min(a, c), b, std::max(a, c)});
}

namespace {

struct Collider {
  Triple triple;
  double p_value;
};

bool is_collider(const SeparatingSets& separating, const AmbiguousTriples& ambiguous, std::size_t a, std::size_t b,
                 std::size_t c) {
  return !separating.contains(a, c, b) && !is_ambiguous(ambiguous, a, b, c);
}

// The colliders that knowledge does not contradict, in the order of their middles.
std::vector<Triple> possible_colliders(const OrientationState& graph, const SeparatingSets& separating,
                                       const AmbiguousTriples& ambiguous) {
  std::vector<Triple> triples = unshielded_triples(graph.adjacency());
  std::erase_if(triples, [&](const Triple& t) {
    return graph.locked(t[1], t[0]) || graph.locked(t[1], t[2]) ||
           !is_collider(separating, ambiguous, t[0], t[1], t[2]);
  });
  return triples;
}

// Each collider overturns what stands against it.
void overwrite(OrientationState& graph, const std::vector<Triple>& colliders) {
  for (const auto& [a, b, c] : colliders) {
    graph.direct(a, b);
    graph.direct(c, b);
  }
}

// All colliders at once; an edge that they claim both ways becomes a conflict.
void claim(OrientationState& graph, const std::vector<Triple>& colliders) {
  BitMatrix claims(graph.size());
  for (const auto& [a, b, c] : colliders) {
    claims.set(a, b);
    claims.set(c, b);
  }
  graph.direct_as_claimed(claims);
}

void orient_by_separation(OrientationState& graph, const SeparatingSets& separating,
                          const AmbiguousTriples& ambiguous) {
  std::vector<Triple> triples = unshielded_triples(graph.adjacency());
  std::ranges::sort(triples, {}, [&](const Triple& t) {
    return std::array<std::size_t, 4>{separating.time(t[0], t[2]), t[0], t[2], t[1]};
  });
  for (const auto& [a, b, c] : triples) {
    if (!is_collider(separating, ambiguous, a, b, c)) continue;
    if (graph.undirected(a, b)) graph.direct(a, b);
    if (graph.undirected(c, b)) graph.direct(c, b);
  }
}

// Takes the direction from edges into nodes where they meet no other unshielded one.
void confirm_colliders(OrientationState& graph) {
  const OrientationState before = graph;
  for (std::size_t b = 0; b < graph.size(); ++b)
    for (const std::size_t a : before.around(b)) {
      if (!before.directed(a, b)) continue;
      const bool confirmed = std::ranges::any_of(before.around(b), [&](std::size_t other) {
        return other != a && before.directed(other, b) && !before.adjacent(a, other);
      });
      if (!confirmed) graph.undirect(a, b);
    }
}

// The p-value with which the ends of a triple were separated.
double separation_p_value(IndependenceTest& test, const SeparatingSets& separating, const Triple& triple) {
  const auto known = separating.get(triple[0], triple[2]);
  const std::vector<std::size_t> set(known.begin(), known.end());
  return test.evaluate(triple[0], triple[2], set).p_value;
}

void orient_by_p_value(OrientationState& graph, IndependenceTest& test, const SeparatingSets& separating,
                       const AmbiguousTriples& ambiguous, bool high_first) {
  std::vector<Collider> colliders;
  for (const Triple& t : unshielded_triples(graph.adjacency()))
    if (separating.known(t[0], t[2]) && is_collider(separating, ambiguous, t[0], t[1], t[2]))
      colliders.push_back({t, 0.0});
  constexpr std::size_t worth_splitting = 256;
  TestTeam team(test, colliders.size() < worth_splitting ? 1 : colliders.size());
  team.each(colliders.size(), [&](std::size_t k, IndependenceTest& own) {
    colliders[k].p_value = separation_p_value(own, separating, colliders[k].triple);
  });
  std::ranges::stable_sort(colliders, [high_first](const Collider& left, const Collider& right) {
    return high_first ? left.p_value > right.p_value : left.p_value < right.p_value;
  });
  for (const Collider& collider : colliders) direct_collider(graph, collider.triple);
}

void keep_existing(OrientationState& graph, const std::vector<Triple>& colliders,
                   const std::vector<std::size_t>& sequence) {
  std::vector<std::size_t> rank(graph.size());
  for (std::size_t k = 0; k < rank.size(); ++k) rank[sequence.empty() ? k : sequence[k]] = k;
  std::vector<std::pair<Triple, Triple>> turns;
  for (const auto& [a, b, c] : colliders)
    turns.push_back({{std::min(rank[a], rank[c]), rank[b], std::max(rank[a], rank[c])}, {a, b, c}});
  std::ranges::sort(turns);
  for (const auto& [turn, collider] : turns) direct_collider(graph, collider);
}

}  // namespace

void direct_collider(OrientationState& graph, const Triple& triple) {
  const auto [a, b, c] = triple;
  if (!graph.leaves(a, b) || !graph.leaves(c, b)) return;
  if ((graph.undirected(a, b) && graph.reaches(b, a)) || (graph.undirected(c, b) && graph.reaches(b, c))) return;
  graph.direct(a, b);
  graph.direct(c, b);
}

void orient_colliders(OrientationState& graph, IndependenceTest& test, const SeparatingSets& separating,
                      const AmbiguousTriples& ambiguous, const ColliderTurns& turns) {
  switch (turns.order) {
    case ColliderOrder::by_node: return overwrite(graph, possible_colliders(graph, separating, ambiguous));
    case ColliderOrder::with_conflicts: return claim(graph, possible_colliders(graph, separating, ambiguous));
    case ColliderOrder::by_p_value: return orient_by_p_value(graph, test, separating, ambiguous, false);
    case ColliderOrder::by_separation: return orient_by_separation(graph, separating, ambiguous);
    case ColliderOrder::bidirected:
      claim(graph, possible_colliders(graph, separating, ambiguous));
      return confirm_colliders(graph);
    case ColliderOrder::existing:
      return keep_existing(graph, possible_colliders(graph, separating, ambiguous), turns.sequence);
    case ColliderOrder::then_confirmed:
      overwrite(graph, possible_colliders(graph, separating, ambiguous));
      return confirm_colliders(graph);
    case ColliderOrder::by_high_p_value: return orient_by_p_value(graph, test, separating, ambiguous, true);
  }
}

}  // namespace dagathlon
