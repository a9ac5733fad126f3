#include "dagathlon/continuous/notears.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bind.hpp"

namespace dagathlon {

namespace {

SquareMatrix square(const Matrix<const double>& rows) {
  if (rows.shape(0) != rows.shape(1)) throw nb::value_error("the matrix must be square");
  return {{rows.data(), rows.size()}, rows.shape(0)};
}

NumpyMatrix<double> numpy(const SquareMatrix& matrix) { return to_numpy(matrix.rows(), matrix.size(), matrix.size()); }

std::pair<double, NumpyMatrix<double>> acyclicity(Matrix<const double> weights, bool exponential) {
  const SquareMatrix matrix = square(weights);
  const auto measure = [&] {
    const nb::gil_scoped_release release;
    return exponential ? exponential_acyclicity(matrix) : polynomial_acyclicity(matrix);
  };
  const Acyclicity found = measure();
  return {found.value, numpy(found.slope)};
}

using Minimum = std::tuple<NumpyMatrix<double>, double, double, std::size_t>;

Minimum minimum(const NotearsPoint& found) {
  return {numpy(found.weights), found.acyclicity, found.multiplier, found.steps};
}

LeastSquaresNotears problem(const Matrix<const double>& moments, double lambda, const SquareMatrix& weights) {
  if (square(moments).size() != weights.size()) throw nb::value_error("one row of weights per variable");
  return {{moments.data(), moments.size()}, weights.size(), lambda};
}

Minimum search(Matrix<const double> moments, double lambda, Matrix<const double> start, double rho, double alpha) {
  const SquareMatrix weights = square(start);
  const LeastSquaresNotears least_squares = problem(moments, lambda, weights);
  const auto found = [&] {
    const nb::gil_scoped_release release;
    return least_squares.search(weights, rho, alpha);
  };
  return minimum(found());
}

Minimum minimise(Matrix<const double> moments, double lambda, Matrix<const double> start, double multiplier, double rho,
                 double alpha) {
  const SquareMatrix weights = square(start);
  const LeastSquaresNotears least_squares = problem(moments, lambda, weights);
  const auto found = [&] {
    const nb::gil_scoped_release release;
    const double cycles = polynomial_acyclicity(weights).value;
    return least_squares.minimise({weights, cycles, multiplier, 0}, rho, alpha);
  };
  return minimum(found());
}

}  // namespace

static void bind_notears(nb::module_& m) {
  m.def("acyclicity", &acyclicity, nb::arg("weights"), nb::arg("exponential"),
        "How far weights are from a DAG, and its derivative by each squared weight, from row to column.");
  m.def("notears_minimum", &minimise, nb::arg("moments"), nb::arg("penalty"), nb::arg("start"), nb::arg("multiplier"),
        nb::arg("rho"), nb::arg("alpha"),
        "The least squares minimum of the augmented Lagrangian on the path from `start`: weights, acyclicity, its "
        "multiplier, and the number of steps.");
  m.def("notears_search", &search, nb::arg("moments"), nb::arg("penalty"), nb::arg("start"), nb::arg("rho"),
        nb::arg("alpha"), "A least squares minimum of the augmented Lagrangian by larger steps; as notears_minimum.");
}

static const Part notears_part("notears", bind_notears);

}  // namespace dagathlon
