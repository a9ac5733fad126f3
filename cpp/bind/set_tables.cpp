#include "dagathlon/score/set_families.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "bind.hpp"
#include "parent_sets.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

void check_limits(const SearchLimits& limits, std::size_t n) {
  if (limits.forbidden.size() != n) throw nb::value_error("limits and data of different size");
}

// The sums that any of the scores needs, each once.
std::vector<CellSum> sums_of(const std::vector<std::shared_ptr<BoundScore>>& scores) {
  std::vector<CellSum> result;
  for (const auto& score : scores) {
    SetTerms* terms = score->plain()->by_sets();
    if (terms == nullptr) continue;
    for (const CellSum& sum : terms->sums())
      if (std::ranges::find(result, sum) == result.end()) result.push_back(sum);
  }
  return result;
}

// Tables of the sets of columns of the first score's data for that score and, where they need not more than
// can be counted in one pass, for the others. None where families are better scored one by one.
std::optional<SetSums> count_tables(const std::vector<std::shared_ptr<BoundScore>>& scores,
                                    const SearchLimits& limits) {
  if (scores.empty()) return std::nullopt;
  check_limits(limits, scores[0]->size());
  const std::shared_ptr<Score> first = scores[0]->plain();
  const SetPass pass = set_pass(*first, limits);
  if (pass == SetPass::none) return std::nullopt;
  std::vector<CellSum> sums = sums_of(scores);
  if (!sums_fit(pass, *first, limits, sums.size())) sums = first->by_sets()->sums();
  return count_for(pass, first->by_sets()->data(), largest_family(limits), std::move(sums));
}

bool tables_serve(const SetSums& tables, BoundScore& score, const SearchLimits& limits) {
  SetTerms* terms = score.plain()->by_sets();
  if (terms == nullptr || tables.ranks.items() != score.size() || tables.ranks.largest() < largest_family(limits))
    return false;
  return std::ranges::all_of(
      terms->sums(), [&](const CellSum& sum) { return std::ranges::find(tables.sums, sum) != tables.sums.end(); });
}

}  // namespace

static void bind_set_tables(nb::module_& m) {
  nb::class_<SetSums>(m, "SetTables", "Sums over the contingency tables of all small sets of columns.")
      .def("__len__", [](const SetSums& self) { return self.ranks.count(); })
      .def_prop_ro("n_bytes", [](const SetSums& self) { return self.values.size() * sizeof(double); })
      .def("serve", &tables_serve, nb::arg("score"), nb::arg("limits"));
  m.def("count_tables", &count_tables, nb::arg("scores"), nb::arg("limits"), ReleaseGil());
  m.def(
      "parent_sets_from_tables",
      [](BoundScore& score, const SearchLimits& limits, const SetSums& tables) {
        check_limits(limits, score.size());
        if (!tables_serve(tables, score, limits)) throw nb::value_error("the tables do not serve this score");
        Enumeration found = score.with_plain([&](Score& s) { return families_by_sets(s, limits, tables); });
        return Candidates{std::move(found.sets), found.scored};
      },
      nb::arg("score"), nb::arg("limits"), nb::arg("tables"), ReleaseGil());
}

static const Part set_tables_part("set_tables", bind_set_tables);

}  // namespace dagathlon
