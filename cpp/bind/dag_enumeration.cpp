#include "dagathlon/exact/dag_enumeration.hpp"

#include <nanobind/stl/pair.h>

#include <cmath>
#include <limits>
#include <utility>

#include "bind.hpp"

namespace dagathlon {

namespace {

using Table = Matrix<const double>;

std::vector<double> values_of(const Table& table) { return {table.data(), table.data() + table.size()}; }

// For each node and set of other nodes a log term, and what is added to the rate.
EnumeratedWeights weights_of(const Table& terms, const Table& rests, double shape, double rate) {
  const std::size_t n = terms.shape(0);
  if (n == 0 || n > DagEnumeration::max_nodes) throw nb::value_error("all DAGs are met for 1 to 6 nodes");
  const std::size_t half = (std::size_t{1} << n) / 2;
  if (terms.shape(1) != half || rests.shape(0) != n || rests.shape(1) != half)
    throw nb::value_error("one term and one rest for each set of other nodes");
  EnumeratedWeights weights{n, values_of(terms), values_of(rests), shape, rate};
  for (const double term : weights.terms)
    if (std::isnan(term) || term == std::numeric_limits<double>::infinity())
      throw nb::value_error("a log term is a number or minus infinity");
  for (const double rest : weights.rests)
    if (!(rest >= 0) || !std::isfinite(rest)) throw nb::value_error("a rest is a number at least 0");
  if (!(shape >= 0) || !(rate > 0)) throw nb::value_error("a shape is at least 0 and a rate above");
  return weights;
}

NumpyMatrix<double> marginals(const DagEnumeration& self, std::vector<double> values) {
  return to_numpy(std::move(values), self.size(), self.size());
}

using GraphTable = std::pair<NumpyMatrix<std::uint64_t>, NumpyMatrix<double>>;

GraphTable graphs(const DagEnumeration& self, DagEnumeration::Graphs (DagEnumeration::*list)() const) {
  DagEnumeration::Graphs found;
  {
    const nb::gil_scoped_release free;
    found = (self.*list)();
  }
  const std::size_t count = found.arcs.size();
  return {to_numpy(std::move(found.arcs), count, 1), to_numpy(std::move(found.log_weights), count, 1)};
}

}  // namespace

static void bind_dag_enumeration(nb::module_& m) {
  using Self = DagEnumeration;
  nb::class_<Self>(m, "DagEnumeration", "All DAGs of at most six nodes, one after another.")
      .def(
          "__init__",
          [](Self* self, const Table& terms, const Table& rests, double shape, double rate) {
            EnumeratedWeights weights = weights_of(terms, rests, shape, rate);
            const nb::gil_scoped_release free;
            new (self) Self(std::move(weights));
          },
          nb::arg("terms"), nb::arg("rests"), nb::arg("shape"), nb::arg("rate"))
      .def("__len__", &Self::size)
      .def("log_partition", &Self::log_partition)
      .def("edges", [](const Self& self) { return marginals(self, self.edges()); })
      .def("paths", [](const Self& self) { return marginals(self, self.paths()); })
      .def(
          "families",
          [](const Self& self, std::size_t child) {
            check_node(child, self.size());
            return self.families(child);
          },
          nb::arg("child"))
      .def("mean_log_weight", &Self::mean_log_weight)
      .def("best", &Self::best)
      .def(
          "sample",
          [](const Self& self, std::size_t count, std::uint64_t seed) {
            std::vector<Mask> found;
            {
              const nb::gil_scoped_release free;
              found = self.sample(count, seed);
            }
            return to_numpy(std::move(found), count, self.size());
          },
          nb::arg("count"), nb::arg("seed"))
      .def("dags", [](const Self& self) { return graphs(self, &Self::dags); })
      .def("classes", [](const Self& self) { return graphs(self, &Self::classes); });
}

static const Part dag_enumeration_part("dag_enumeration", bind_dag_enumeration);

}  // namespace dagathlon
