#include "dagathlon/search/equivalence_search.hpp"

#include "bind.hpp"
#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/graph/dag.hpp"
#include "dagathlon/search/queued_search.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

// What is asked for; arcs and targets are checked against the data.
struct ClassSettings {
  std::vector<Step> phases;
  bool iterate;
  bool together;
  bool escape;
  bool verify;
  std::size_t max_degree;
  bool faithful;
};

void check_start(const BoundScore& score, const SearchLimits& limits, const MarkedGraph& start) {
  const std::size_t n = score.size();
  if (start.size() != n || limits.forbidden.size() != n) throw nb::value_error("graph and data of different size");
  if (!is_dag(start)) throw nb::value_error("a search over classes starts at a DAG");
}

ClassSearchResult checked_search(BoundScore& score, const SearchLimits& limits, const MarkedGraph& start,
                                 const ClassSettings& settings, const std::vector<NodeList>& targets) {
  check_start(score, limits, start);
  const std::size_t n = score.size();
  ClassSearch how{settings.phases,
                  settings.iterate,
                  settings.together,
                  settings.escape,
                  settings.verify,
                  {settings.max_degree, limits.max_parents, settings.faithful, limits.forbidden, limits.required},
                  {}};
  BitSet always(n);
  for (std::size_t i = 0; i < n; ++i) always.set(i);
  for (const NodeList& nodes : targets) {
    how.targets.push_back(to_set(nodes, n));
    intersect(always, how.targets.back());
  }
  if (!targets.empty() && any(always)) throw nb::value_error("every node must be outside some target");
  return score.with([&](Score& s) { return search_classes(s, start, how); });
}

}  // namespace

static void bind_equivalence_search(nb::module_& m) {
  nb::enum_<Step>(m, "ClassStep").value("insert", Step::insert).value("remove", Step::remove).value("turn", Step::turn);
  nb::class_<ClassSearchResult>(m, "ClassSearchResult")
      .def_ro("graph", &ClassSearchResult::graph)
      .def_ro("score", &ClassSearchResult::score)
      .def_ro("steps", &ClassSearchResult::steps);
  nb::class_<ClassSettings>(m, "ClassSettings")
      .def("__init__", from_fields<ClassSettings, std::vector<Step>, bool, bool, bool, bool, std::size_t, bool>(),
           nb::kw_only(), nb::arg("phases"), nb::arg("iterate"), nb::arg("together"), nb::arg("escape"),
           nb::arg("verify"), nb::arg("max_degree"), nb::arg("faithful"));
  m.def("search_classes", &checked_search, nb::arg("score"), nb::arg("limits"), nb::arg("start"), nb::arg("settings"),
        nb::arg("targets"), ReleaseGil());
  m.def(
      "search_by_queue",
      [](BoundScore& score, const SearchLimits& limits, const MarkedGraph& start, std::size_t max_degree) {
        check_start(score, limits, start);
        const ClassLimits own{max_degree, limits.max_parents, true, limits.forbidden, limits.required};
        return score.with([&](Score& s) { return search_by_queue(s, start, own); });
      },
      nb::arg("score"), nb::arg("limits"), nb::arg("start"), nb::arg("max_degree"), ReleaseGil());
}

static const Part equivalence_search_part("equivalence_search", bind_equivalence_search);

}  // namespace dagathlon
