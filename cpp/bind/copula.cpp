#include "copula.hpp"

#include <algorithm>

#include "chain_options.hpp"
#include "dagathlon/undirected/gaussian_chain.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

void add_column(CopulaStart& start, std::vector<std::int32_t> levels, std::vector<double> values, bool kept) {
  if (!start.columns.empty() && start.columns[0].levels.size() != levels.size())
    throw nb::value_error("columns have equally many rows");
  std::vector<bool> seen(values.size());
  for (const std::int32_t level : levels) {
    if (level == CopulaLatents::missing) continue;
    if (level < 0 || static_cast<std::size_t>(level) >= values.size()) throw nb::index_error("no such level");
    seen[static_cast<std::size_t>(level)] = true;
  }
  if (!std::ranges::all_of(seen, [](bool found) { return found; })) throw nb::value_error("a level is in no row");
  if (!std::ranges::is_sorted(values)) throw nb::value_error("the values of levels increase");
  start.columns.push_back({std::move(levels), std::move(values), kept});
}

// The latents after so many updates with one precision matrix, row by row.
NumpyMatrix<double> drawn(const CopulaStart& start, const Matrix<const double>& precision, std::size_t updates,
                          std::uint64_t seed) {
  CopulaLatents latents = start.latents();
  const std::size_t p = latents.size(), n = latents.rows();
  if (precision.shape(0) != p || precision.shape(1) != p) throw nb::value_error("one row of precisions per column");
  std::vector<double> rows(n * p);
  {
    const nb::gil_scoped_release unlocked;
    const SquareMatrix matrix(std::span(precision.data(), p * p), p);
    Stream random(seed, 0);
    for (std::size_t k = 0; k < updates; ++k) latents.update(matrix, random);
    for (std::size_t j = 0; j < p; ++j)
      for (std::size_t i = 0; i < n; ++i) rows[i * p + j] = latents.column(j)[i];
  }
  return to_numpy(std::move(rows), n, p);
}

template <class Run>
GaussianChain run_chain_of(const MarkedGraph& start, const CopulaStart& copula, const GaussianGraphPrior& prior,
                           const ChainOptions& options, Run&& run) {
  const ChainLength length = options.length();
  if (start.size() != copula.columns.size()) throw nb::value_error("one column per node");
  const nb::gil_scoped_release unlocked;
  Stream random = options.random();
  CopulaData data(copula.latents());
  GaussianGraph graph(start.adjacency_rows(), prior, data.scatter(), data.rows(), random);
  return run(std::move(graph), length, random, &data);
}

GaussianChain births_and_deaths(const MarkedGraph& start, const CopulaStart& copula, const GaussianGraphPrior& prior,
                                double jumps, const ChainOptions& options) {
  return run_chain_of(start, copula, prior, options,
                      [&](GaussianGraph&& graph, ChainLength length, Stream random, CopulaData* data) {
                        return birth_death_chain(std::move(graph), jumps, length, random, data);
                      });
}

GaussianChain reversible_jumps(const MarkedGraph& start, const CopulaStart& copula, const GaussianGraphPrior& prior,
                               std::size_t proposals, const ChainOptions& options) {
  return run_chain_of(start, copula, prior, options,
                      [&](GaussianGraph&& graph, ChainLength length, Stream random, CopulaData* data) {
                        return reversible_jump_chain(std::move(graph), proposals, length, random, data);
                      });
}

}  // namespace

static void bind_copula(nb::module_& m) {
  nb::class_<CopulaStart>(m, "CopulaStart", "Latent normal data of which only orders within columns were seen.")
      .def(nb::init<>())
      .def("add", &add_column, nb::arg("levels"), nb::arg("values"), nb::arg("kept"),
           "One more column: the level of each row (-1: missing), a latent value for each level, and whether the "
           "latent values stay.")
      .def("__len__", [](const CopulaStart& start) { return start.columns.size(); })
      .def("drawn", &drawn, nb::arg("precision"), nb::arg("updates"), nb::arg("seed"), nb::rv_policy::move,
           "The latent values after some updates under one precision matrix.");
  m.def("copula_birth_death_chain", &births_and_deaths, nb::arg("start"), nb::arg("copula"), nb::arg("prior"),
        nb::arg("jumps"), nb::arg("options"));
  m.def("copula_reversible_jump_chain", &reversible_jumps, nb::arg("start"), nb::arg("copula"), nb::arg("prior"),
        nb::arg("proposals"), nb::arg("options"));
}

static const Part copula_part("copula", bind_copula);

}  // namespace dagathlon
