#include "dagathlon/score/parent_sets.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <utility>

#include "bind.hpp"
#include "dagathlon/exact/optimal_dag.hpp"
#include "dagathlon/order/window_search.hpp"
#include "parent_sets.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

using Listed = std::vector<std::vector<std::pair<double, NodeList>>>;

// Lists from Python: any order, any sets; sorted, and sets of which a subset scores as well left out.
ParentSets to_sets(const Listed& lists) {
  ParentSets result;
  for (std::size_t child = 0; child < lists.size(); ++child) {
    std::vector<ParentSet>& candidates = result.emplace_back();
    for (const auto& [score, parents] : lists[child]) {
      check_nodes(parents, lists.size());
      ParentSet candidate{score, parents};
      std::ranges::sort(candidate.parents);
      if (std::ranges::adjacent_find(candidate.parents) != candidate.parents.end() ||
          std::ranges::binary_search(candidate.parents, child))
        throw nb::value_error("parents are distinct nodes other than the child");
      if (score != score) throw nb::value_error("a score is a number");
      candidates.push_back(std::move(candidate));
    }
    keep_undominated(candidates);
  }
  return result;
}

Listed to_lists(const ParentSets& sets) {
  Listed result;
  for (const auto& candidates : sets) {
    auto& list = result.emplace_back();
    for (const ParentSet& candidate : candidates) list.emplace_back(candidate.score, candidate.parents);
  }
  return result;
}

void check_limits(const SearchLimits& limits, std::size_t n) {
  if (limits.forbidden.size() != n) throw nb::value_error("limits and data of different size");
}

// The parents that a choice gives each node.
std::vector<NodeList> chosen_parents(const ParentSets& sets, const Choice& choice) {
  std::vector<NodeList> result;
  for (std::size_t j = 0; j < sets.size(); ++j) {
    const std::size_t k = choice.of_node[j];
    result.push_back(k < sets[j].size() ? sets[j][k].parents : NodeList{});
  }
  return result;
}

}  // namespace

static void bind_parent_sets(nb::module_& m) {
  nb::class_<Candidates>(m, "ParentSets", "Candidate parent sets of each node with their scores.")
      .def(
          "__init__", [](Candidates* self, const Listed& lists) { new (self) Candidates{to_sets(lists), 0}; },
          nb::arg("lists"))
      .def("__len__", [](const Candidates& self) { return self.sets.size(); })
      .def_ro("scored", &Candidates::scored)
      .def("count",
           [](const Candidates& self) {
             std::size_t total = 0;
             for (const auto& list : self.sets) total += list.size();
             return total;
           })
      .def("lists", [](const Candidates& self) { return to_lists(self.sets); })
      .def("components", [](const Candidates& self) { return components(self.sets); }, ReleaseGil());
  m.def(
      "enumerate_parent_sets",
      [](BoundScore& score, const SearchLimits& limits, bool prune) {
        check_limits(limits, score.size());
        Enumeration found = score.with_plain([&](Score& s) { return enumerate_parent_sets(s, limits, prune); });
        return Candidates{std::move(found.sets), found.scored};
      },
      nb::arg("score"), nb::arg("limits"), nb::arg("prune"), ReleaseGil());
  nb::class_<Budget>(m, "ExplorationBudget")
      .def("__init__", from_fields<Budget, std::size_t, double, NodeList>(), nb::kw_only(), nb::arg("sets"),
           nb::arg("work"), nb::arg("levels"));
  m.def(
      "explore_parent_sets",
      [](BoundScore& score, BoundScore& guide, const SearchLimits& limits, const Budget& budget, double penalty,
         NodeList levels) {
        check_limits(limits, score.size());
        if (guide.size() != score.size() || (!levels.empty() && levels.size() != score.size()) ||
            budget.levels.size() != levels.size())
          throw nb::value_error("guide, levels and data of different size");
        if (std::ranges::find(levels, std::size_t{0}) != levels.end()) throw nb::value_error("a column has a level");
        const std::shared_ptr<Score> guiding = guide.plain();
        Enumeration found = score.with_plain([&](Score& s) {
          return explore_parent_sets(s, Guide{*guiding, penalty, std::move(levels)}, limits, budget);
        });
        return Candidates{std::move(found.sets), found.scored};
      },
      nb::arg("score"), nb::arg("guide"), nb::arg("limits"), nb::arg("budget"), nb::arg("penalty"), nb::arg("levels"),
      ReleaseGil());
  m.def(
      "best_by_sets",
      [](const Candidates& candidates) {
        if (candidates.sets.size() > max_dynamic_nodes) throw nb::value_error("too many nodes for all their sets");
        const Choice choice = best_by_sets(candidates.sets);
        return std::pair(choice.score, chosen_parents(candidates.sets, choice));
      },
      nb::arg("sets"), ReleaseGil());
  nb::class_<WindowSearch>(m, "WindowSearch")
      .def("__init__", from_fields<WindowSearch, std::size_t, std::size_t, std::size_t, bool, double, std::uint64_t>(),
           nb::kw_only(), nb::arg("starts"), nb::arg("patience") = 0, nb::arg("window"), nb::arg("acyclic_selection"),
           nb::arg("seconds") = 0.0, nb::arg("seed"));
  m.def(
      "window_search",
      [](const Candidates& candidates, const WindowSearch& how) {
        const WindowResult found = window_search(candidates.sets, how);
        return std::tuple(found.choice.score, chosen_parents(candidates.sets, found.choice), found.starts, found.moves);
      },
      nb::arg("sets"), nb::arg("how"), ReleaseGil());
}

static const Part parent_sets_part("parent_sets", bind_parent_sets);

}  // namespace dagathlon
