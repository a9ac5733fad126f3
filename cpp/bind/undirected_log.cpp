#include "dagathlon/undirected/undirected_log.hpp"

#include "bind.hpp"

namespace dagathlon {

namespace {

NumpyMatrix<double> edge_means(const UndirectedLog& log) {
  const std::size_t stretches = log.edge_lengths().size();
  return to_numpy(std::vector<double>(log.edge_means()), stretches, log.size() * log.size());
}

}  // namespace

static void bind_undirected_log(nb::module_& m) {
  nb::class_<UndirectedLog>(m, "UndirectedLog",
                            "A chain of undirected graphs as the changes from one saved state to the next.")
      .def("__len__", &UndirectedLog::length, "The number of saved states, those like the state before too.")
      .def_prop_ro(
          "index", [](const UndirectedLog& log) { return copied(log.index(), 1); }, nb::rv_policy::move)
      .def_prop_ro(
          "score", [](const UndirectedLog& log) { return copied(log.score(), 1); }, nb::rv_policy::move)
      .def_prop_ro("continuous", &UndirectedLog::continuous)
      .def_prop_ro(
          "times", [](const UndirectedLog& log) { return copied(log.times(), 1); }, nb::rv_policy::move)
      .def_prop_ro("end", &UndirectedLog::end, "When the last state ends.")
      .def_prop_ro(
          "added", [](const UndirectedLog& log) { return copied(log.added(), 2); }, nb::rv_policy::move)
      .def_prop_ro(
          "removed", [](const UndirectedLog& log) { return copied(log.removed(), 2); }, nb::rv_policy::move)
      .def_prop_ro(
          "added_starts", [](const UndirectedLog& log) { return copied(log.added_starts(), 1); }, nb::rv_policy::move)
      .def_prop_ro(
          "removed_starts", [](const UndirectedLog& log) { return copied(log.removed_starts(), 1); },
          nb::rv_policy::move)
      .def_prop_ro("edge_means", &edge_means, nb::rv_policy::move, "A row for each stretch of the chain.")
      .def_prop_ro(
          "edge_lengths", [](const UndirectedLog& log) { return copied(log.edge_lengths(), 1); }, nb::rv_policy::move);
}

static const Part undirected_log_part("undirected_log", bind_undirected_log);

}  // namespace dagathlon
