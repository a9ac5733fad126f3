#include "dagathlon/switches.hpp"

#include <algorithm>

#include "bind.hpp"

namespace dagathlon {

namespace {

std::vector<std::int64_t> flat(const std::vector<Pair>& edges) {
  std::vector<std::int64_t> cells;
  cells.reserve(2 * edges.size());
  for (const auto& [a, b] : edges) {
    cells.push_back(static_cast<std::int64_t>(a));
    cells.push_back(static_cast<std::int64_t>(b));
  }
  return cells;
}

NumpyMatrix<std::int64_t> random_graph(const NodeList& degrees, std::size_t attempts_per_edge, std::uint64_t key) {
  std::vector<std::int64_t> cells;
  {
    nb::gil_scoped_release release;
    std::vector<Pair> edges = graph_with_degrees(degrees);
    if (edges.empty() && std::ranges::any_of(degrees, [](std::size_t d) { return d > 0; }))
      throw std::domain_error("no simple graph has these degrees");
    Stream stream(key, 0);
    switch_edges(edges, degrees.size(), attempts_per_edge * edges.size(), stream);
    cells = flat(edges);
  }
  const std::size_t rows = cells.size() / 2;
  return to_numpy(std::move(cells), rows, 2);
}

}  // namespace

void bind_switches(nb::module_& m) {
  m.def("random_graph_with_degrees", &random_graph, nb::arg("degrees"), nb::arg("attempts_per_edge"), nb::arg("key"),
        "Edges as pairs of nodes; ValueError when no simple graph has these degrees.");
}

}  // namespace dagathlon
