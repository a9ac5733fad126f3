#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bind.hpp"
#include "dagathlon/graph/attachment.hpp"
#include "dagathlon/graph/switches.hpp"

namespace dagathlon {

namespace {

NumpyMatrix<std::int64_t> to_numpy_pairs(const std::vector<Pair>& edges) {
  std::vector<std::int64_t> cells;
  cells.reserve(2 * edges.size());
  for (const Pair& edge : edges)
    for (const std::size_t node : edge) cells.push_back(static_cast<std::int64_t>(node));
  return to_numpy(std::move(cells), edges.size(), 2);
}

NumpyMatrix<std::int64_t> with_degrees(const NodeList& degrees, std::size_t attempts_per_edge, std::uint64_t key) {
  std::vector<Pair> edges;
  {
    nb::gil_scoped_release release;
    edges = graph_with_degrees(degrees);
    if (edges.empty() && std::ranges::any_of(degrees, [](std::size_t d) { return d > 0; }))
      throw std::domain_error("no simple graph has these degrees");
    Stream stream(key, 0);
    switch_edges(edges, degrees.size(), attempts_per_edge * edges.size(), stream);
  }
  return to_numpy_pairs(edges);
}

NumpyMatrix<std::int64_t> attached(const NodeList& counts, double power, bool own_edges_attract, std::uint64_t key) {
  for (std::size_t node = 0; node < counts.size(); ++node)
    if (counts[node] > node) throw nb::value_error("a node attaches to earlier ones only");
  const double strongest = std::pow(static_cast<double>(counts.size()), power);
  if (!(power >= 0) || !std::isfinite(strongest * static_cast<double>(counts.size())))
    throw nb::value_error("the power is negative or too large");
  std::vector<Pair> edges;
  {
    nb::gil_scoped_release release;
    Stream stream(key, 0);
    edges = grow_by_attachment(counts, power, own_edges_attract, stream);
  }
  return to_numpy_pairs(edges);
}

}  // namespace

static void bind_random_graphs(nb::module_& m) {
  m.def("random_graph_with_degrees", &with_degrees, nb::arg("degrees"), nb::arg("attempts_per_edge"), nb::arg("key"),
        "Edges as pairs of nodes; ValueError when no simple graph has these degrees.");
  m.def("grow_by_attachment", &attached, nb::arg("counts"), nb::arg("power"), nb::arg("own_edges_attract"),
        nb::arg("key"), "Edges from each node to so many earlier ones.");
}

static const Part random_graphs_part("random_graphs", bind_random_graphs);

}  // namespace dagathlon
