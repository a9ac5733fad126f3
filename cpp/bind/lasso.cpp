#include "dagathlon/undirected/lasso.hpp"

#include "bind.hpp"
#include "dagathlon/undirected/lasso_refit.hpp"

namespace dagathlon {

namespace {

using Penalties = std::vector<double>;

std::span<const double> square(const Matrix<const double>& matrix) {
  if (matrix.shape(0) != matrix.shape(1)) throw nb::value_error("the matrix must be square");
  return {matrix.data(), matrix.size()};
}

RegressionPath regressions(Matrix<const double> correlation, const Penalties& penalties,
                           const LassoSettings& settings) {
  const auto cells = square(correlation);
  const nb::gil_scoped_release release;
  return neighbourhood_path(cells, correlation.shape(0), penalties, settings);
}

NumpyMatrix<double> weights_at(const RegressionPath& path, std::size_t k) {
  const std::size_t p = path.size;
  if ((k + 1) * p > path.weights.size()) throw nb::index_error("no such penalty");
  std::vector<double> weights(p * p, 0.0);
  for (std::size_t j = 0; j < p; ++j)
    for (const auto& weight : path.weights[k * p + j]) weights[j * p + weight.predictor] = weight.value;
  return to_numpy(std::move(weights), p, p);
}

using Graphs = nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

std::vector<double> likelihoods(Matrix<const double> given, std::size_t rows, Matrix<const double> seen,
                                Graphs graphs) {
  const std::size_t p = given.shape(0);
  const RefitMoments moments{p, rows, square(given), square(seen)};
  if (seen.shape(0) != p || graphs.shape(1) != p || graphs.shape(2) != p)
    throw nb::value_error("one row and column per variable");
  const nb::gil_scoped_release release;
  return refit_likelihoods(moments, {graphs.data(), graphs.size()});
}

}  // namespace

static void bind_lasso(nb::module_& m) {
  nb::class_<LassoSettings>(m, "LassoSettings")
      .def("__init__", from_fields<LassoSettings, double, std::size_t, bool>(), nb::kw_only(), nb::arg("tolerance"),
           nb::arg("max_sweeps"), nb::arg("square_root"));
  nb::class_<RegressionPath>(m, "RegressionPath")
      .def("weights", &weights_at, nb::arg("k"), "Weights at a penalty, a row for each target.")
      .def(
          "residual_variances",
          [](const RegressionPath& path) {
            const std::size_t rows = path.size ? path.residual_variances.size() / path.size : 0;
            return to_numpy(std::vector<double>(path.residual_variances), rows, path.size);
          },
          "A row for each penalty, a column for each target.")
      .def_ro("converged", &RegressionPath::converged);
  m.def("neighbourhood_path", &regressions, nb::arg("correlation"), nb::arg("penalties"), nb::arg("settings"),
        "The lasso, or the square-root lasso, of each variable on all others at decreasing penalties.");
  m.def("refit_likelihoods", &likelihoods, nb::arg("given"), nb::arg("rows"), nb::arg("seen"), nb::arg("graphs"),
        "Log-likelihood of a row by least squares regressions on the neighbours in each graph.");
}

static const Part lasso_part("lasso", bind_lasso);

}  // namespace dagathlon
