#include "dagathlon/graph/separation.hpp"

#include <nanobind/stl/optional.h>

#include "bind.hpp"

namespace dagathlon {

namespace {

void check_disjoint(const NodeList& x, const NodeList& y, const NodeList& given) {
  const auto meet = [](const NodeList& a, const NodeList& b) {
    for (const std::size_t node : a)
      if (std::find(b.begin(), b.end(), node) != b.end()) return true;
    return false;
  };
  if (meet(x, y) || meet(x, given) || meet(y, given)) throw nb::value_error("sets overlap");
}

bool separated(const SeparationOracle& oracle, const NodeList& x, const NodeList& y, const NodeList& given) {
  for (const NodeList* nodes : {&x, &y, &given}) check_nodes(*nodes, oracle.size());
  check_disjoint(x, y, given);
  const nb::gil_scoped_release release;
  return oracle.separated(Nodes(x), Nodes(y), given);
}

std::optional<NodeList> separating_set(const SeparationOracle& oracle, std::size_t x, std::size_t y) {
  check_node(x, oracle.size());
  check_node(y, oracle.size());
  if (x == y) throw nb::value_error("two different nodes are needed");
  const nb::gil_scoped_release release;
  const std::optional<BitSet> found = oracle.separating_set(x, y);
  return found ? std::optional(to_list(*found)) : std::nullopt;
}

}  // namespace

static void bind_separation(nb::module_& m) {
  nb::class_<SeparationOracle>(m, "SeparationOracle", "Answers separation queries on one graph.")
      .def(
          "__init__",
          [](SeparationOracle* self, const MarkedGraph& graph) {
            const nb::gil_scoped_release release;
            if (!admits_separation(graph)) throw std::invalid_argument("separation is not defined here");
            new (self) SeparationOracle(graph);
          },
          nb::arg("graph"))
      .def("separated", &separated, nb::arg("x"), nb::arg("y"), nb::arg("given"))
      .def("separating_set", &separating_set, nb::arg("x"), nb::arg("y"));
}

static const Part separation_part("separation", bind_separation);

}  // namespace dagathlon
