// Graph algorithms against brute force over all DAGs of four nodes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "check.hpp"
#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/dag.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/graph/meek.hpp"
#include "dagathlon/graph/pdag.hpp"
#include "dagathlon/graph/separation.hpp"

namespace {

using namespace dagathlon;

constexpr std::size_t n = 4;

// All DAGs of four nodes: each pair has no edge or one of two arcs.
const std::vector<MarkedGraph>& all_dags() {
  static const std::vector<MarkedGraph> dags = [] {
    std::vector<MarkedGraph> result;
    for (int code = 0; code < 729; ++code) {
      MarkedGraph graph(n);
      int rest = code;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j, rest /= 3) {
          if (rest % 3 == 1) graph.set_directed(i, j);
          if (rest % 3 == 2) graph.set_directed(j, i);
        }
      if (is_dag(graph)) result.push_back(graph);
    }
    return result;
  }();
  return dags;
}

using Class = std::pair<std::vector<std::size_t>, std::vector<VStructure>>;

// Two DAGs are equivalent when they have the same skeleton and the same v-structures (Verma and Pearl 1990).
Class class_of(const MarkedGraph& dag) {
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      if (dag.adjacent(i, j)) pairs.push_back(i * n + j);
  return {pairs, v_structures(dag)};
}

TEST(there_are_543_dags_of_four_nodes_in_185_classes) {
  CHECK(all_dags().size() == 543);
  std::map<Class, std::size_t> classes;
  for (const MarkedGraph& dag : all_dags()) ++classes[class_of(dag)];
  CHECK(classes.size() == 185);
}

TEST(meeks_rules_direct_what_all_members_of_a_class_share) {
  std::map<Class, std::vector<const MarkedGraph*>> classes;
  for (const MarkedGraph& dag : all_dags()) classes[class_of(dag)].push_back(&dag);
  for (const auto& [key, members] : classes) {
    Pdag closed(pattern(*members.front()));
    close_under_meek(closed);
    const MarkedGraph graph = closed.graph();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j || !graph.adjacent(i, j)) continue;
        const bool shared =
            std::ranges::all_of(members, [&](const MarkedGraph* member) { return member->directed(i, j); });
        CHECK(graph.directed(i, j) == shared);
      }
  }
}

TEST(knowledge_that_contradicts_is_named) {
  MarkedGraph chain(n);
  chain.set_undirected(0, 1);
  chain.set_undirected(1, 2);
  Pdag pdag(chain);
  const std::vector<DirectedEdge> edges{{0, 1}, {2, 1}};
  const auto contradiction = close_with_knowledge(pdag, edges);
  CHECK(contradiction && *contradiction == 1);
  CHECK(pdag.graph().directed(0, 1) && pdag.graph().directed(1, 2));
}

// Whether a path of a DAG connects x and y given z: every collider has a descendant in z, no other inner node is in z.
bool connected_by_a_path(const MarkedGraph& dag, std::size_t x, std::size_t y, std::size_t z) {
  std::array<bool, n> opens{};
  for (std::size_t v = 0; v < n; ++v) {
    BitSet self(n);
    self.set(v);
    const BitSet below = descendants(dag, self);
    for (std::size_t u = 0; u < n; ++u) opens[v] = opens[v] || (below.test(u) && (z >> u & 1));
  }
  std::vector<std::size_t> path{x};
  const std::function<bool()> extend = [&]() -> bool {
    const std::size_t end = path.back();
    if (end == y) return true;
    for (std::size_t next = 0; next < n; ++next) {
      if (!dag.adjacent(end, next) || std::ranges::find(path, next) != path.end()) continue;
      if (path.size() > 1) {
        const bool collider = dag.directed(path[path.size() - 2], end) && dag.directed(next, end);
        if (collider ? !opens[end] : (z >> end & 1) != 0) continue;
      }
      path.push_back(next);
      const bool found = extend();
      path.pop_back();
      if (found) return true;
    }
    return false;
  };
  return extend();
}

TEST(separation_is_the_absence_of_connecting_paths) {
  for (const MarkedGraph& dag : all_dags()) {
    const SeparationOracle oracle(dag);
    for (std::size_t x = 0; x < n; ++x)
      for (std::size_t y = x + 1; y < n; ++y)
        for (std::size_t z = 0; z < (1U << n); ++z) {
          if (z >> x & 1 || z >> y & 1) continue;
          std::vector<std::size_t> given;
          for (std::size_t v = 0; v < n; ++v)
            if (z >> v & 1) given.push_back(v);
          CHECK(oracle.separated(x, y, given) != connected_by_a_path(dag, x, y, z));
        }
  }
}

TEST(orders_put_parents_first_and_cycles_are_found) {
  for (const MarkedGraph& dag : all_dags()) {
    const std::vector<std::size_t> order = topological_order(dag);
    CHECK(order.size() == n && directed_cycle(dag).empty());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) CHECK(!dag.directed(order[j], order[i]));
  }
  MarkedGraph cycle(3);
  for (std::size_t i = 0; i < 3; ++i) cycle.set_directed(i, (i + 1) % 3);
  CHECK(!is_dag(cycle) && directed_cycle(cycle).size() == 3 && topological_order(cycle).empty());
}

TEST(bit_rows_visit_their_members_in_order) {
  BitSet set(130);
  const std::vector<std::size_t> members{0, 63, 64, 127, 129};
  for (const std::size_t i : members) set.set(i);
  std::vector<std::size_t> visited;
  for_each(set.row(), [&](std::size_t i) { visited.push_back(i); });
  CHECK(visited == members && count(set) == 5 && first(set) == 0 && last(set) == 129);
  BitSet other(130);
  other.set(64);
  CHECK(is_subset(other, set) && intersects(set, other));
  subtract(set, other);
  CHECK(!intersects(set, other) && count(set) == 4);
  other.clear();
  CHECK(!any(other) && first(other) == no_node && last(other) == no_node);
}

TEST(marks_survive_a_round_trip) {
  MarkedGraph graph(3);
  graph.set_edge(0, Mark::circle, 1, Mark::arrow);
  graph.set_edge(1, Mark::arrow, 2, Mark::arrow);
  std::array<std::uint8_t, 9> marks{};
  graph.to_marks(marks);
  CHECK(consistent(marks, 3) && MarkedGraph::from_marks(marks, 3) == graph);
  marks[1] = 0;
  CHECK(!consistent(marks, 3));
}

}  // namespace
