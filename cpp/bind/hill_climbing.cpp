#include "dagathlon/search/hill_climbing.hpp"

#include "bind.hpp"
#include "dagathlon/graph/dag.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

BitMatrix to_rows(const Matrix<const bool>& arcs, std::size_t n) {
  if (arcs.shape(0) != n || arcs.shape(1) != n) throw nb::value_error("a matrix of arcs has a row for each node");
  BitMatrix rows(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (arcs(i, j)) rows.set(i, j);
  return rows;
}

void check_start(const MarkedGraph& start, std::size_t n) {
  if (start.size() != n) throw nb::value_error("graph and data of different size");
  if (!is_dag(start)) throw nb::value_error("a search over DAGs starts at a DAG");
}

}  // namespace

static void bind_hill_climbing(nb::module_& m) {
  nb::class_<SearchLimits>(m, "SearchLimits", "Arcs that must not or must be there, from row to column.")
      .def(
          "__init__",
          [](SearchLimits* self, const Matrix<const bool>& forbidden, const Matrix<const bool>& required,
             std::size_t max_parents) {
            const std::size_t n = forbidden.shape(0);
            new (self) SearchLimits{to_rows(forbidden, n), to_rows(required, n), max_parents};
          },
          nb::arg("forbidden"), nb::arg("required"), nb::arg("max_parents"));
  nb::class_<SearchResult>(m, "SearchResult")
      .def_ro("dag", &SearchResult::dag)
      .def_ro("score", &SearchResult::score)
      .def_ro("steps", &SearchResult::steps)
      .def_ro("evaluations", &SearchResult::evaluations);
  nb::class_<HillClimbing>(m, "HillClimbing")
      .def("__init__", from_fields<HillClimbing, std::size_t, std::size_t, std::size_t, std::uint64_t>(), nb::kw_only(),
           nb::arg("max_steps"), nb::arg("restarts"), nb::arg("perturbations"), nb::arg("seed"));
  m.def(
      "hill_climb",
      [](BoundScore& score, const SearchLimits& limits, const MarkedGraph& start, const HillClimbing& how) {
        check_start(start, score.size());
        if (limits.forbidden.size() != score.size()) throw nb::value_error("limits and data of different size");
        return score.with([&](Score& s) { return hill_climb(s, limits, start, how); });
      },
      nb::arg("score"), nb::arg("limits"), nb::arg("start"), nb::arg("how"), ReleaseGil());
  m.def(
      "tabu_search",
      [](BoundScore& score, const SearchLimits& limits, const MarkedGraph& start, std::size_t max_steps,
         std::size_t memory, std::size_t patience) {
        check_start(start, score.size());
        if (limits.forbidden.size() != score.size()) throw nb::value_error("limits and data of different size");
        return score.with([&](Score& s) { return tabu_search(s, limits, start, {max_steps, memory, patience}); });
      },
      nb::arg("score"), nb::arg("limits"), nb::arg("start"), nb::arg("max_steps"), nb::arg("memory"),
      nb::arg("patience"), ReleaseGil());
}

static const Part hill_climbing_part("hill_climbing", bind_hill_climbing);

}  // namespace dagathlon
