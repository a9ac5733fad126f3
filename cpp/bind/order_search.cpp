#include "dagathlon/order/order_search.hpp"

#include <algorithm>

#include "bind.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

void check(const BoundScore& score, const SearchLimits& limits, const OrderStarts& starts) {
  if (limits.forbidden.size() != score.size()) throw nb::value_error("limits and data of different size");
  for (NodeList order : starts.given) {
    std::ranges::sort(order);
    for (std::size_t i = 0; i < std::max(order.size(), score.size()); ++i)
      if (i >= order.size() || order[i] != i) throw nb::value_error("an order has every node once");
  }
}

}  // namespace

static void bind_order_search(nb::module_& m) {
  nb::class_<OrderStarts>(m, "OrderStarts")
      .def("__init__", from_fields<OrderStarts, std::size_t, std::vector<NodeList>, std::uint64_t>(), nb::kw_only(),
           nb::arg("count"), nb::arg("given"), nb::arg("seed"));
  m.def(
      "boss",
      [](BoundScore& score, const SearchLimits& limits, bool backward, bool random, const OrderStarts& starts) {
        check(score, limits, starts);
        return score.with([&](Score& s) { return boss(s, limits, {backward, random, starts}); });
      },
      nb::arg("score"), nb::arg("limits"), nb::arg("backward"), nb::arg("random"), nb::arg("starts"), ReleaseGil());
  nb::class_<Grasp>(m, "Grasp")
      .def("__init__", from_fields<Grasp, std::size_t, std::size_t, std::size_t, OrderStarts>(), nb::kw_only(),
           nb::arg("depth"), nb::arg("uncovered_depth"), nb::arg("nonsingular_depth"), nb::arg("starts"));
  m.def(
      "grasp",
      [](BoundScore& score, const SearchLimits& limits, const Grasp& how) {
        check(score, limits, how.starts);
        return score.with([&](Score& s) { return grasp(s, limits, how); });
      },
      nb::arg("score"), nb::arg("limits"), nb::arg("how"), ReleaseGil());
}

static const Part order_search_part("order_search", bind_order_search);

}  // namespace dagathlon
