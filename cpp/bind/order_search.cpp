#include "dagathlon/order_search.hpp"

#include "bind.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

void check_size(const BoundScore& score, const SearchLimits& limits) {
  if (limits.forbidden.size() != score.size()) throw nb::value_error("limits and data of different size");
}

}  // namespace

static void bind_order_search(nb::module_& m) {
  m.def("boss",
        [](BoundScore& score, const SearchLimits& limits, bool backward, std::size_t starts, bool random,
           std::uint64_t seed) {
          check_size(score, limits);
          return score.with([&](Score& s) { return boss(s, limits, {backward, starts, random, seed}); });
        },
        nb::arg("score"), nb::arg("limits"), nb::arg("backward"), nb::arg("starts"), nb::arg("random"),
        nb::arg("seed"), ReleaseGil());
  nb::class_<Grasp>(m, "Grasp")
      .def("__init__", from_fields<Grasp, std::size_t, std::size_t, std::size_t, std::size_t, std::uint64_t>(),
           nb::kw_only(), nb::arg("depth"), nb::arg("uncovered_depth"), nb::arg("nonsingular_depth"),
           nb::arg("starts"), nb::arg("seed"));
  m.def("grasp",
        [](BoundScore& score, const SearchLimits& limits, const Grasp& how) {
          check_size(score, limits);
          return score.with([&](Score& s) { return grasp(s, limits, how); });
        },
        nb::arg("score"), nb::arg("limits"), nb::arg("how"), ReleaseGil());
}

static const Part part("order_search", bind_order_search);

}  // namespace dagathlon
