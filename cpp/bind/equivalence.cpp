#include "dagathlon/graph/equivalence.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "dagathlon/graph/dag.hpp"
#include "dagathlon/graph/meek.hpp"
#include "dagathlon/graph/pdag.hpp"

namespace dagathlon {

namespace {

void require_pdag(const MarkedGraph& graph) {
  if (!is_pdag(graph)) throw nb::value_error("needs directed and undirected edges only");
}

std::pair<std::optional<MarkedGraph>, NodeList> checked_extension(const MarkedGraph& graph) {
  require_pdag(graph);
  auto found = extension(graph);
  if (auto* dag = std::get_if<MarkedGraph>(&found)) return {std::move(*dag), {}};
  return {std::nullopt, to_list(std::get<BitSet>(found))};
}

std::pair<MarkedGraph, std::optional<std::size_t>> checked_meek(const MarkedGraph& graph,
                                                                const std::vector<DirectedEdge>& edges) {
  require_pdag(graph);
  for (const auto& [from, to] : edges) {
    check_nodes({from, to}, graph.size());
    if (!graph.adjacent(from, to)) throw nb::value_error("a required edge joins adjacent nodes");
  }
  Pdag pdag(graph);
  const auto contradicting = close_with_knowledge(pdag, edges);
  return {pdag.graph(), contradicting};
}

MarkedGraph checked_essential_graph(const MarkedGraph& dag, const std::vector<NodeList>& targets) {
  if (!is_dag(dag)) throw nb::value_error("needs a DAG");
  std::vector<BitSet> sets;
  for (const NodeList& target : targets) sets.push_back(to_set(target, dag.size()));
  return interventional_essential_graph(dag, sets);
}

}  // namespace

static void bind_equivalence(nb::module_& m) {
  m.def("is_pdag", &is_pdag, nb::arg("graph"), ReleaseGil());
  m.def("is_undirected", &is_undirected, nb::arg("graph"), ReleaseGil());
  m.def("is_cpdag", &is_cpdag, nb::arg("graph"), ReleaseGil());
  m.def("is_pattern", &is_pattern, nb::arg("graph"), ReleaseGil());
  m.def("skeleton", &skeleton, nb::arg("graph"), ReleaseGil());
  m.def("pattern", &pattern, nb::arg("graph"), ReleaseGil());
  m.def("v_structures", &v_structures, nb::arg("graph"), ReleaseGil(), "Triples x, collider, y.");
  m.def("cpdag", &cpdag, nb::arg("graph"), ReleaseGil(), "None when no DAG extends the graph.");
  m.def("extension", &checked_extension, nb::arg("pdag"), ReleaseGil(),
        "A DAG or None, and the nodes among which no more edges can be directed.");
  m.def("meek", &checked_meek, nb::arg("pdag"), nb::arg("required"), ReleaseGil(),
        "The closed graph, and the place of the first required edge that contradicts it or None.");
  m.def("interventional_essential_graph", &checked_essential_graph, nb::arg("dag"), nb::arg("targets"), ReleaseGil());
}

static const Part equivalence_part("equivalence", bind_equivalence);

}  // namespace dagathlon
