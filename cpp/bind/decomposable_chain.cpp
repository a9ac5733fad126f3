#include "dagathlon/undirected/decomposable_chain.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bind.hpp"
#include "chain_options.hpp"
#include "clique_score.hpp"
#include "dagathlon/undirected/decomposable_enumeration.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

namespace {

UndirectedLog sample_edges(const BoundTarget& target, FirstGraph first, const ChainOptions& options) {
  const ChainLength length = options.length();
  const nb::gil_scoped_release unlocked;
  return target.with([&](const DecomposableTarget& t) {
    return giudici_green_chain(t, first_graph(t, first), length, options.random());
  });
}

UndirectedLog sample_trees(const BoundTarget& target, FirstGraph first, bool several, std::size_t randomise,
                           const ChainOptions& options) {
  const ChainLength length = options.length();
  const nb::gil_scoped_release unlocked;
  return target.with([&](const DecomposableTarget& t) {
    return junction_tree_chain(t, first_graph(t, first), {several, randomise}, length, options.random());
  });
}

// All graphs with their log weights, and of continuous data the mean of the precision matrix.
using Enumerated = std::tuple<NumpyMatrix<std::uint64_t>, NumpyMatrix<double>, std::optional<NumpyMatrix<double>>>;

Enumerated enumerated(const BoundTarget& target) {
  const std::size_t n = target.size();
  if (n > EnumeratedGraphs::max_nodes) throw nb::value_error("too many nodes to meet all graphs");
  EnumeratedGraphs found;
  std::optional<SquareMatrix> mean;
  {
    const nb::gil_scoped_release unlocked;
    target.with([&](const DecomposableTarget& t) {
      found = decomposable_graphs(t);
      if (const auto* gaussian = dynamic_cast<const GaussianCliques*>(&t.score()))
        mean = mean_precision(*gaussian, found);
    });
  }
  const std::size_t count = found.edges.size();
  std::optional<NumpyMatrix<double>> precision;
  if (mean) precision = to_numpy(mean->rows(), n, n);
  return {to_numpy(std::move(found.edges), count, 1), to_numpy(std::move(found.log_weights), count, 1), precision};
}

double log_junction_trees(const MarkedGraph& graph) {
  const auto tree = clique_tree(graph.adjacency_rows());
  if (!tree) throw nb::value_error("the graph is not chordal");
  return JunctionTree(*tree, graph.size()).log_count();
}

}  // namespace

static void bind_decomposable_chain(nb::module_& m) {
  nb::enum_<FirstGraph>(m, "FirstGraph").value("empty", FirstGraph::empty).value("forest", FirstGraph::forest);
  m.def("giudici_green_chain", &sample_edges, nb::arg("target"), nb::arg("first"), nb::arg("options"),
        "A chain over decomposable graphs by single edges.");
  m.def("junction_tree_chain", &sample_trees, nb::arg("target"), nb::arg("first"), nb::arg("several"),
        nb::arg("randomise"), nb::arg("options"), "A chain over junction trees.");
  m.attr("MAX_ENUMERATED") = EnumeratedGraphs::max_nodes;
  m.def("decomposable_graphs", &enumerated, nb::arg("target"),
        "All decomposable graphs, a bit for each pair of nodes, their log weights, and of continuous data the mean "
        "of the precision matrix.");
  m.def("log_junction_trees", &log_junction_trees, nb::arg("graph"), ReleaseGil(),
        "The logarithm of the number of junction trees of a chordal graph.");
}

static const Part decomposable_chain_part("decomposable_chain", bind_decomposable_chain);

}  // namespace dagathlon
