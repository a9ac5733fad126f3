#include "dagathlon/graphical_lasso.hpp"

#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "dagathlon/positive_inverse.hpp"

namespace dagathlon {

namespace {

SquareMatrix square(const Matrix<const double>& rows) {
  if (rows.shape(0) != rows.shape(1)) throw nb::value_error("the matrix must be square");
  return {{rows.data(), rows.size()}, rows.shape(0)};
}

void make_path(GraphicalLassoPath* self, const Matrix<const double>& covariance,
               const GraphicalLassoSettings& settings) {
  SquareMatrix given = square(covariance);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!(given(i, i) > 0.0)) throw nb::value_error("all variances must be positive");
  new (self) GraphicalLassoPath(std::move(given), settings);
}

std::pair<std::size_t, double> solve(GraphicalLassoPath& path, double penalty) {
  if (!(penalty >= 0.0)) throw nb::value_error("a penalty is not negative");
  const nb::gil_scoped_release release;
  const LassoProgress progress = path.solve(penalty);
  return {progress.steps, progress.violation};
}

std::pair<std::size_t, double> refit(GraphicalLassoPath& path, const Matrix<const double>& start) {
  const SquareMatrix given = square(start);
  if (given.size() != path.size()) throw nb::value_error("one row and column per variable");
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!(given(i, i) > 0.0)) throw nb::value_error("the diagonal must be positive");
  const nb::gil_scoped_release release;
  const LassoProgress progress = path.refit(given);
  return {progress.steps, progress.violation};
}

NumpyMatrix<double> precision(const GraphicalLassoPath& path) {
  const SquareMatrix found = path.precision();
  return to_numpy(found.rows(), found.size(), found.size());
}

std::pair<NumpyMatrix<double>, double> inverted(const Matrix<const double>& matrix) {
  SquareMatrix values = square(matrix);
  std::optional<double> log_determinant;
  {
    const nb::gil_scoped_release release;
    log_determinant = PositiveInverse()(values, values);
  }
  if (!log_determinant) throw nb::value_error("the matrix is not positive definite");
  return {to_numpy(values.rows(), values.size(), values.size()), *log_determinant};
}

}  // namespace

static void bind_graphical_lasso(nb::module_& m) {
  nb::class_<GraphicalLassoSettings>(m, "GraphicalLassoSettings")
      .def("__init__", from_fields<GraphicalLassoSettings, bool, double, std::size_t>(), nb::kw_only(),
           nb::arg("penalise_diagonal"), nb::arg("tolerance"), nb::arg("max_steps"));
  nb::class_<GraphicalLassoPath>(m, "GraphicalLassoPath")
      .def("__init__", &make_path, nb::arg("covariance"), nb::arg("settings"))
      .def("solve", &solve, nb::arg("penalty"), "Newton steps, and the largest violation of the optimum's conditions.")
      .def("refit", &refit, nb::arg("start"),
           "Maximum likelihood with the zeros of a matrix; steps and violation as of a penalty of zero.")
      .def("precision", &precision, "Of what was solved last.");
  m.def("invert_positive", &inverted, nb::arg("matrix"),
        "Inverse and logarithm of the determinant; ValueError unless positive definite.");
}

static const Part part("graphical_lasso", bind_graphical_lasso);

}  // namespace dagathlon
