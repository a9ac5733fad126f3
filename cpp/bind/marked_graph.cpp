#include "dagathlon/marked_graph.hpp"

#include <stdexcept>

#include "bind.hpp"

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

}  // namespace

void bind_marked_graph(nb::module_& m) {
  nb::class_<MarkedGraph>(m, "MarkedGraph", "Endpoint marks; cell (i, j) is the mark at j on i-j.")
      .def("__init__",
           [](MarkedGraph* self, Matrix<const std::uint8_t> marks) {
             const std::size_t n = square_size(marks);
             if (!consistent(cells(marks), n)) throw nb::value_error("inconsistent mark matrix");
             new (self) MarkedGraph(MarkedGraph::from_marks(cells(marks), n));
           },
           nb::arg("marks"))
      .def("__len__", &MarkedGraph::size)
      .def("equals", [](const MarkedGraph& a, const MarkedGraph& b) { return a == b; }, nb::arg("other"))
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

}  // namespace dagathlon
