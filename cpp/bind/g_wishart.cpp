#include "dagathlon/undirected/g_wishart.hpp"

#include <nanobind/stl/pair.h>

#include <stdexcept>
#include <utility>

#include "bind.hpp"
#include "chain_options.hpp"
#include "dagathlon/undirected/g_wishart_constant.hpp"
#include "dagathlon/undirected/gaussian_chain.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/undirected/precision_gibbs.hpp"

namespace dagathlon {

namespace {

SquareMatrix square(const Matrix<const double>& matrix, std::size_t n) {
  if (matrix.shape(0) != n || matrix.shape(1) != n) throw nb::value_error("one row and column per node");
  return SquareMatrix({matrix.data(), n * n}, n);
}

NumpyMatrix<double> draw(const MarkedGraph& graph, double b, const Matrix<const double>& scale, std::uint64_t seed,
                         std::uint64_t stream) {
  const std::size_t n = graph.size();
  const SquareMatrix cells = square(scale, n);
  SquareMatrix precision;
  {
    const nb::gil_scoped_release unlocked;
    Stream random(seed, stream);
    sample_g_wishart(graph.adjacency_rows(), b, upper_factor(cells), random, precision);
  }
  return to_numpy(precision.rows(), n, n);
}

NumpyMatrix<double> scaled_draw(const MarkedGraph& graph, double b, double scale, std::uint64_t seed,
                                std::uint64_t stream) {
  Precision out;
  {
    const nb::gil_scoped_release unlocked;
    Stream random(seed, stream);
    ScaledGWishart().draw(graph.adjacency_rows(), b, scale, random, out);
  }
  return to_numpy(out.precision.rows(), graph.size(), graph.size());
}

std::pair<double, double> constant(const MarkedGraph& graph, double b, const Matrix<const double>& scale,
                                   std::size_t draws, std::uint64_t seed) {
  if (draws == 0) throw nb::value_error("at least one draw");
  const SquareMatrix cells = square(scale, graph.size());
  const nb::gil_scoped_release unlocked;
  Stream random(seed, 0);
  const LogConstant result = log_constant(graph.adjacency_rows(), b, cells, draws, random);
  return {result.value, result.error};
}

// The value, and whether it is exact.
std::pair<double, bool> laplace(const MarkedGraph& graph, double b, const Matrix<const double>& scale) {
  const SquareMatrix cells = square(scale, graph.size());
  const nb::gil_scoped_release unlocked;
  const BitMatrix adjacent = graph.adjacency_rows();
  const bool exact = peel(adjacent).core.empty();
  if (!exact && !(b > 2)) throw std::domain_error("Laplace's approximation needs b above 2");
  return {laplace_constant(adjacent, b, cells), exact};
}

double bridged(const MarkedGraph& graph, double b, double scale) {
  const nb::gil_scoped_release unlocked;
  return bridged_constant(graph.adjacency_rows(), b, scale, ConstantRatio(graph.size(), b, scale));
}

// Data as chains take them: sums of products of so many rows.
struct Scatter {
  Matrix<const double> products;
  double rows;
};

template <class Run>
GaussianChain run_chain_of(const MarkedGraph& start, const Scatter& data, const GaussianGraphPrior& prior,
                           const ChainOptions& options, Run&& run) {
  const ChainLength length = options.length();
  const std::size_t n = start.size();
  if (data.products.shape(0) != n || data.products.shape(1) != n) throw nb::value_error("one row and column per node");
  const std::span<const double> cells{data.products.data(), n * n};
  const nb::gil_scoped_release unlocked;
  Stream random = options.random();
  GaussianGraph graph(start.adjacency_rows(), prior, cells, data.rows, random);
  return run(std::move(graph), length, random);
}

GaussianChain births_and_deaths(const MarkedGraph& start, const Matrix<const double>& products, double rows,
                                const GaussianGraphPrior& prior, double jumps, const ChainOptions& options) {
  return run_chain_of(start, {products, rows}, prior, options,
                      [&](GaussianGraph&& graph, ChainLength length, Stream random) {
                        return birth_death_chain(std::move(graph), jumps, length, random);
                      });
}

GaussianChain reversible_jumps(const MarkedGraph& start, const Matrix<const double>& products, double rows,
                               const GaussianGraphPrior& prior, std::size_t proposals, const ChainOptions& options) {
  return run_chain_of(start, {products, rows}, prior, options,
                      [&](GaussianGraph&& graph, ChainLength length, Stream random) {
                        return reversible_jump_chain(std::move(graph), proposals, length, random);
                      });
}

}  // namespace

static void bind_g_wishart(nb::module_& m) {
  m.def("g_wishart_draw", &draw, nb::arg("graph"), nb::arg("b"), nb::arg("scale"), nb::arg("seed"), nb::arg("stream"),
        "A precision matrix; ValueError where the scale is not positive definite.");
  m.def("scaled_g_wishart_draw", &scaled_draw, nb::arg("graph"), nb::arg("b"), nb::arg("scale"), nb::arg("seed"),
        nb::arg("stream"), "The same with the identity times a number as scale, by rejection and Gibbs sampling.");
  m.def("g_wishart_constant", &constant, nb::arg("graph"), nb::arg("b"), nb::arg("scale"), nb::arg("draws"),
        nb::arg("seed"), "The logarithm of the normalising constant and its standard error.");
  m.def("g_wishart_laplace", &laplace, nb::arg("graph"), nb::arg("b"), nb::arg("scale"));
  m.def("g_wishart_bridged", &bridged, nb::arg("graph"), nb::arg("b"), nb::arg("scale"));
  nb::class_<GaussianGraphPrior>(m, "GaussianGraphPrior", "The prior of a graph and of its precision matrix.")
      .def("__init__", from_fields<GaussianGraphPrior, double, double, double, bool>(), nb::kw_only(),
           nb::arg("edge_probability"), nb::arg("b"), nb::arg("scale"), nb::arg("exchange"));
  nb::class_<GaussianChain>(m, "GaussianChain", "Graphs, and the mean of the precision matrix.")
      .def_ro("log", &GaussianChain::log)
      .def_prop_ro(
          "precision",
          [](const GaussianChain& chain) {
            const std::size_t n = chain.log.size();
            return to_numpy(std::vector<double>(chain.precision), n, n);
          },
          nb::rv_policy::move);
  m.def("birth_death_chain", &births_and_deaths, nb::arg("start"), nb::arg("products"), nb::arg("rows"),
        nb::arg("prior"), nb::arg("jumps"), nb::arg("options"));
  m.def("reversible_jump_chain", &reversible_jumps, nb::arg("start"), nb::arg("products"), nb::arg("rows"),
        nb::arg("prior"), nb::arg("proposals"), nb::arg("options"));
}

static const Part g_wishart_part("g_wishart", bind_g_wishart);

}  // namespace dagathlon
