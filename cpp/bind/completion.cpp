#include "dagathlon/undirected/completion.hpp"

#include <stdexcept>

#include "bind.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

namespace {

std::vector<double> completed(std::span<const double> covariance, const MarkedGraph& graph, double tolerance,
                              std::size_t max_sweeps) {
  std::vector<double> result(covariance.size());
  const auto failure = complete_covariance(covariance, graph.adjacency_rows(), tolerance, max_sweeps, result);
  if (failure == CompletionFailure::not_positive_definite)
    throw std::domain_error("the covariance of some node's neighbours is not positive definite");
  if (failure == CompletionFailure::no_convergence) throw std::runtime_error("no convergence");
  return result;
}

std::span<const double> square(const Matrix<const double>& matrix, std::size_t n) {
  if (matrix.shape(0) != n || matrix.shape(1) != n) throw nb::value_error("one row and column per node");
  return {matrix.data(), n * n};
}

NumpyMatrix<double> complete(Matrix<const double> covariance, const MarkedGraph& graph, double tolerance,
                             std::size_t max_sweeps) {
  const std::size_t n = graph.size();
  const auto cells = square(covariance, n);
  std::vector<double> result;
  {
    nb::gil_scoped_release release;
    result = completed(cells, graph, tolerance, max_sweeps);
  }
  return to_numpy(std::move(result), n, n);
}

NumpyMatrix<double> g_wishart(Matrix<const double> factor, const MarkedGraph& graph, double tolerance,
                              std::size_t max_sweeps) {
  const std::size_t n = graph.size();
  const auto cells = square(factor, n);
  for (std::size_t i = 0; i < n; ++i)
    if (!(cells[i * n + i] > 0)) throw nb::value_error("the diagonal of the factor is positive");
  std::vector<double> result;
  {
    nb::gil_scoped_release release;
    result = completed(inverse_of_product(cells, n), graph, tolerance, max_sweeps);
  }
  return to_numpy(std::move(result), n, n);
}

}  // namespace

static void bind_completion(nb::module_& m) {
  m.def("complete_covariance", &complete, nb::arg("covariance"), nb::arg("graph"), nb::arg("tolerance"),
        nb::arg("max_sweeps"),
        "ValueError when it is not positive definite, RuntimeError when the sweeps were not enough.");
  m.def("g_wishart_covariance", &g_wishart, nb::arg("factor"), nb::arg("graph"), nb::arg("tolerance"),
        nb::arg("max_sweeps"), "Completes the inverse of L·Lᵀ, L lower triangular; errors as above.");
}

static const Part completion_part("completion", bind_completion);

}  // namespace dagathlon
