#include "dagathlon/constraint/local_structure.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "knowledge.hpp"

namespace dagathlon {

namespace {

// The graph and the number of tests.
using Learned = std::tuple<MarkedGraph, std::size_t>;

const std::map<std::string, BlanketSearch> blanket_searches{{"grow-shrink", BlanketSearch::grow_shrink},
                                                            {"incremental", BlanketSearch::incremental},
                                                            {"fast", BlanketSearch::fast},
                                                            {"interleaved", BlanketSearch::interleaved},
                                                            {"false-discovery", BlanketSearch::false_discovery}};
const std::map<std::string, NeighbourSearch> neighbour_searches{
    {"max-min", NeighbourSearch::max_min}, {"hiton", NeighbourSearch::hiton}, {"hybrid", NeighbourSearch::hybrid}};

struct LocalOptions {
  DirectionOptions directions;
  bool undirected;
};

// Knowledge about directed edges as knowledge about adjacency.
NeighbourOptions neighbour_options(const DirectionOptions& known) {
  NeighbourOptions options;
  options.alpha = known.alpha;
  options.max_given = known.max_given;
  const std::size_t n = known.forbidden.size();
  options.required = BitMatrix(n);
  options.forbidden = BitMatrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (known.required.test(i, j) || known.required.test(j, i)) options.required.set(i, j);
      else if (known.forbidden.test(i, j) && known.forbidden.test(j, i)) options.forbidden.set(i, j);
    }
  return options;
}

Learned finished(IndependenceTest& test, const NodeSets& blankets, const NodeSets& neighbours,
                 const LocalOptions& options) {
  const BitMatrix adjacent = adjacency_of(neighbours);
  MarkedGraph graph = options.undirected ? OrientationState(adjacent).graph()
                                         : directed_by_blankets(test, blankets, adjacent, options.directions);
  return {std::move(graph), test.calls()};
}

Learned learn_by_blankets(IndependenceTest& test, const std::string& search, const LocalOptions& local,
                          const NodeList& levels, std::size_t rows) {
  if (!levels.empty() && levels.size() != test.size()) throw nb::value_error("one number of levels per variable");
  check_size(local.directions.forbidden, test);
  const NeighbourOptions options = neighbour_options(local.directions);
  const BlanketOptions blanket{
      chosen(blanket_searches, search), options.alpha, options.max_given, levels, rows, options.required};
  const nb::gil_scoped_release release;
  test.reset_calls();
  const NodeSets blankets = markov_blankets(test, blanket);
  return finished(test, blankets, neighbours_in_blankets(test, blankets, options), local);
}

Learned learn_by_neighbours(IndependenceTest& test, const std::string& search, const LocalOptions& local) {
  check_size(local.directions.forbidden, test);
  NeighbourOptions options = neighbour_options(local.directions);
  options.search = chosen(neighbour_searches, search);
  const nb::gil_scoped_release release;
  test.reset_calls();
  const NodeSets found = neighbourhoods(test, options);
  return finished(test, with_neighbours(found), symmetric(found), local);
}

}  // namespace

static void bind_local_structure(nb::module_& m) {
  nb::class_<LocalOptions>(m, "LocalOptions",
                           "The level of tests, the largest set given, knowledge, and where to stop.")
      .def(
          "__init__",
          [](LocalOptions* self, double alpha, std::optional<std::size_t> max_given, const KnownEdges& known,
             bool undirected) {
            new (self) LocalOptions{{alpha, max_given.value_or(no_node), known.forbidden, known.required}, undirected};
          },
          nb::arg("alpha"), nb::arg("max_given").none(), nb::arg("known"), nb::arg("undirected"));
  m.def("learn_by_blankets", &learn_by_blankets, nb::arg("test"), nb::arg("search"), nb::arg("options"),
        nb::arg("levels"), nb::arg("rows"), "A graph by way of Markov blankets, and the number of tests.");
  m.def("learn_by_neighbours", &learn_by_neighbours, nb::arg("test"), nb::arg("search"), nb::arg("options"),
        "A graph by way of the neighbours of each node, and the number of tests.");
}

static const Part local_structure_part("local_structure", bind_local_structure);

}  // namespace dagathlon
