#include "dagathlon/graph/dag.hpp"

#include "bind.hpp"

namespace dagathlon {

static void bind_dag(nb::module_& m) {
  m.def("is_dag", &is_dag, nb::arg("graph"), ReleaseGil());
  m.def("topological_order", &topological_order, nb::arg("graph"), ReleaseGil(),
        "Nodes on or after a directed cycle are left out.");
  m.def("directed_cycle", &directed_cycle, nb::arg("graph"), ReleaseGil(), "Empty when there is none.");
  m.def("moral", &moral, nb::arg("dag"), ReleaseGil());
  m.def(
      "ancestors",
      [](const MarkedGraph& graph, const NodeList& nodes) {
        return to_list(ancestors(graph, to_set(nodes, graph.size())));
      },
      nb::arg("graph"), nb::arg("nodes"), ReleaseGil(), "With the nodes themselves.");
  m.def(
      "descendants",
      [](const MarkedGraph& graph, const NodeList& nodes) {
        return to_list(descendants(graph, to_set(nodes, graph.size())));
      },
      nb::arg("graph"), nb::arg("nodes"), ReleaseGil(), "With the nodes themselves.");
  m.def(
      "markov_blanket",
      [](const MarkedGraph& graph, std::size_t node) {
        check_node(node, graph.size());
        return to_list(markov_blanket(graph, node));
      },
      nb::arg("graph"), nb::arg("node"), ReleaseGil());
}

static const Part dag_part("dag", bind_dag);

}  // namespace dagathlon
