#include "dagathlon/graph/chordal.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bind.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

namespace {

using CliqueTreeParts = std::tuple<std::vector<NodeSequence>, std::vector<NodeSequence>, NodeSequence>;

// A root hangs on itself: Python has no `no_node`.
std::optional<CliqueTreeParts> clique_tree_parts(const MarkedGraph& graph) {
  auto tree = clique_tree(graph.adjacency_rows());
  if (!tree) return std::nullopt;
  for (std::size_t k = 0; k < tree->parents.size(); ++k)
    if (tree->parents[k] == no_node) tree->parents[k] = k;
  return CliqueTreeParts(std::move(tree->cliques), std::move(tree->separators), std::move(tree->parents));
}

}  // namespace

static void bind_chordal(nb::module_& m) {
  m.def(
      "perfect_elimination_order",
      [](const MarkedGraph& graph) { return perfect_elimination_order(graph.adjacency_rows()); }, nb::arg("graph"),
      ReleaseGil(), "Of the skeleton; None when it is not chordal.");
  m.def(
      "chordless_cycle", [](const MarkedGraph& graph) { return chordless_cycle(graph.adjacency_rows()); },
      nb::arg("graph"), ReleaseGil(), "Of the skeleton; empty when it is chordal.");
  m.def("clique_tree", &clique_tree_parts, nb::arg("graph"), ReleaseGil(),
        "Of the skeleton: cliques, separators, the clique each hangs on (a root: itself); or None.");
}

static const Part chordal_part("chordal", bind_chordal);

}  // namespace dagathlon
