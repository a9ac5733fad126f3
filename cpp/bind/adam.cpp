#include "dagathlon/continuous/adam.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bind.hpp"

namespace dagathlon {

namespace {

using Answer = std::optional<NumpyMatrix<double>>;

SquareMatrix square(const Matrix<const double>& rows) {
  if (rows.shape(0) != rows.shape(1)) throw nb::value_error("the matrix must be square");
  return {{rows.data(), rows.size()}, rows.shape(0)};
}

SquareMatrix like(const SquareMatrix& moments, const Matrix<const double>& weights) {
  SquareMatrix result = square(weights);
  if (result.size() != moments.size()) throw nb::value_error("one row of weights per variable");
  return result;
}

NumpyMatrix<double> numpy(const SquareMatrix& matrix) { return to_numpy(matrix.rows(), matrix.size(), matrix.size()); }

Answer answer(const std::optional<SquareMatrix>& found) { return found ? Answer(numpy(*found)) : std::nullopt; }

template <class Work>
auto without_gil(const Work& work) {
  const nb::gil_scoped_release release;
  return work();
}

Answer fit_golem(Matrix<const double> moments, Matrix<const double> start, const GolemSettings& settings) {
  const SquareMatrix squares = square(moments);
  const SquareMatrix weights = like(squares, start);
  return answer(without_gil([&] { return golem(squares, weights, settings); }));
}

std::pair<std::optional<double>, NumpyMatrix<double>> objective(Matrix<const double> moments,
                                                                Matrix<const double> weights, bool equal_variances,
                                                                double sparsity, double acyclicity) {
  const SquareMatrix squares = square(moments);
  SquareMatrix gradient(squares.size());
  const auto value =
      golem_objective(squares, like(squares, weights), {equal_variances, sparsity, acyclicity, 0.0, 0}, gradient);
  return {value, numpy(gradient)};
}

}  // namespace

static void bind_adam(nb::module_& m) {
  nb::class_<GolemSettings>(m, "GolemSettings")
      .def("__init__", from_fields<GolemSettings, bool, double, double, double, std::size_t>(), nb::kw_only(),
           nb::arg("equal_variances"), nb::arg("sparsity"), nb::arg("acyclicity"), nb::arg("learning_rate"),
           nb::arg("steps"));
  m.def("golem", &fit_golem, nb::arg("moments"), nb::arg("start"), nb::arg("settings"),
        "Weights from row to column after so many steps; None when they diverge.");
  m.def("golem_objective", &objective, nb::arg("moments"), nb::arg("weights"), nb::arg("equal_variances"),
        nb::arg("sparsity"), nb::arg("acyclicity"), "Value and gradient.");
}

static const Part adam_part("adam", bind_adam);

}  // namespace dagathlon
