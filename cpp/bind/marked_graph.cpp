#include "dagathlon/graph/marked_graph.hpp"

#include <stdexcept>

#include "bind.hpp"
#include "dagathlon/graph/edge_list.hpp"

namespace dagathlon {

namespace {

std::size_t square_size(const Matrix<const std::uint8_t>& marks) {
  if (marks.shape(0) != marks.shape(1)) throw nb::value_error("a mark matrix is square");
  return marks.shape(0);
}

std::span<const std::uint8_t> cells(const Matrix<const std::uint8_t>& marks) {
  return {marks.data(), marks.shape(0) * marks.shape(1)};
}

// Wraps a member that gives the node set of one node.
template <BitSet (MarkedGraph::*member)(std::size_t) const>
NodeList node_list(const MarkedGraph& graph, std::size_t i) {
  check_node(i, graph.size());
  return to_list((graph.*member)(i));
}

MarkedGraph graph_of_pairs(std::size_t n, Matrix<const std::int64_t> pairs, bool directed) {
  if (pairs.shape(1) != 2) throw nb::value_error("an edge is a pair of nodes");
  MarkedGraph graph(n);
  for (std::size_t k = 0; k < pairs.shape(0); ++k) {
    // A negative number becomes one that is too large.
    const auto from = static_cast<std::size_t>(pairs.data()[2 * k]);
    const auto to = static_cast<std::size_t>(pairs.data()[2 * k + 1]);
    check_node(from, n);
    check_node(to, n);
    if (from == to) throw nb::value_error("a node has no edge with itself");
    if (graph.adjacent(from, to)) throw nb::value_error("two nodes are joined twice");
    directed ? graph.set_directed(from, to) : graph.set_undirected(from, to);
  }
  return graph;
}

using Pairs = Matrix<const std::int64_t>;

std::span<const std::int64_t> checked_pairs(const Pairs& pairs, std::size_t n) {
  if (pairs.shape(1) != 2) throw nb::value_error("an edge is a pair of nodes");
  const std::span<const std::int64_t> nodes{pairs.data(), 2 * pairs.shape(0)};
  for (std::size_t k = 0; k < nodes.size(); k += 2) {
    check_node(static_cast<std::size_t>(nodes[k]), n);
    check_node(static_cast<std::size_t>(nodes[k + 1]), n);
    if (nodes[k] == nodes[k + 1]) throw nb::value_error("a node has no edge with itself");
  }
  return nodes;
}

MarkedGraph graph_of_marked(std::size_t n, Pairs pairs, Matrix<const std::uint8_t> marks) {
  const auto nodes = checked_pairs(pairs, n);
  if (marks.shape(0) != pairs.shape(0) || marks.shape(1) != 2) throw nb::value_error("an edge has two marks");
  const std::span<const std::uint8_t> ends{marks.data(), nodes.size()};
  for (const std::uint8_t mark : ends)
    if (mark == 0 || mark > 3) throw nb::value_error("a mark is 1 (circle), 2 (arrow) or 3 (tail)");
  MarkedGraph graph = graph_of_edges(n, nodes, ends);
  if (graph.edge_count() != pairs.shape(0)) throw nb::value_error("two nodes are joined twice");
  return graph;
}

void check_same_size(const MarkedGraph& a, const MarkedGraph& b) {
  if (a.size() != b.size()) throw nb::value_error("graphs of different size");
}

NumpyMatrix<std::int64_t> pairs_of(const MarkedGraph& a, const MarkedGraph& b) {
  check_same_size(a, b);
  std::vector<std::int64_t> pairs = joined_pairs(a, b);
  const std::size_t edges = pairs.size() / 2;
  return to_numpy(std::move(pairs), edges, 2);
}

NumpyMatrix<std::uint8_t> marks_at(const MarkedGraph& graph, Pairs pairs) {
  return to_numpy(marks_of_pairs(graph, checked_pairs(pairs, graph.size())), pairs.shape(0), 2);
}

MarkedGraph induced_graph(const MarkedGraph& graph, const NodeList& nodes) {
  check_nodes(nodes, graph.size());
  return induced(graph, nodes);
}

}  // namespace

static void bind_marked_graph(nb::module_& m) {
  nb::class_<MarkedGraph>(m, "MarkedGraph", "Endpoint marks; cell (i, j) is the mark at j on i-j.")
      .def(
          "__init__",
          [](MarkedGraph* self, Matrix<const std::uint8_t> marks) {
            const std::size_t n = square_size(marks);
            if (!consistent(cells(marks), n)) throw nb::value_error("inconsistent mark matrix");
            new (self) MarkedGraph(MarkedGraph::from_marks(cells(marks), n));
          },
          nb::arg("marks"))
      .def_static("from_pairs", &graph_of_pairs, nb::arg("n"), nb::arg("pairs"), nb::arg("directed"), ReleaseGil(),
                  "One edge per row of `pairs`, from the first node to the second.")
      .def_static("from_edges", &graph_of_marked, nb::arg("n"), nb::arg("pairs"), nb::arg("marks"),
                  "One edge per row of `pairs`, with the marks at its first and at its second node.")
      .def("joined_pairs", &pairs_of, nb::arg("other"), "Pairs of nodes that are joined in this graph or in another.")
      .def("marks_of_pairs", &marks_at, nb::arg("pairs"), "For each pair the marks at its first and second node.")
      .def("induced", &induced_graph, nb::arg("nodes"), "The edges among some nodes, each of which is named once.")
      .def(
          "has",
          [](const MarkedGraph& graph, unsigned mark) {
            if (mark == 0 || mark > 3) throw nb::value_error("a mark is 1 (circle), 2 (arrow) or 3 (tail)");
            return any(graph.far_words(static_cast<Mark>(mark)));
          },
          nb::arg("mark"), "Whether the mark stands at any end.")
      .def(
          "shared_v_structures",
          [](const MarkedGraph& a, const MarkedGraph& b) {
            check_same_size(a, b);
            return shared_v_structures(a, b);
          },
          nb::arg("other"), ReleaseGil(), "How many v-structures are in both graphs.")
      .def("__len__", &MarkedGraph::size)
      .def(
          "equals", [](const MarkedGraph& a, const MarkedGraph& b) { return a == b; }, nb::arg("other"))
      .def("marks",
           [](const MarkedGraph& graph) {
             const std::size_t n = graph.size();
             std::vector<std::uint8_t> marks(n * n);
             graph.to_marks(marks);
             return to_numpy(std::move(marks), n, n);
           })
      .def("edge_count", &MarkedGraph::edge_count)
      .def("parents", &node_list<&MarkedGraph::parents>, nb::arg("node"))
      .def("children", &node_list<&MarkedGraph::children>, nb::arg("node"))
      .def("neighbours", &node_list<&MarkedGraph::neighbours>, nb::arg("node"))
      .def("spouses", &node_list<&MarkedGraph::spouses>, nb::arg("node"))
      .def("adjacencies", &node_list<&MarkedGraph::adjacencies>, nb::arg("node"));
}

static const Part marked_graph_part("marked_graph", bind_marked_graph, Part::Rank::early);

}  // namespace dagathlon
