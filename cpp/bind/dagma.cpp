#include "dagathlon/continuous/dagma.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "columns.hpp"

namespace dagathlon {

namespace {

using Rows = Matrix<const double>;

SquareMatrix square(const Rows& rows) {
  if (rows.shape(0) != rows.shape(1)) throw nb::value_error("the matrix must be square");
  return {{rows.data(), rows.size()}, rows.shape(0)};
}

NumpyMatrix<double> numpy(const SquareMatrix& matrix) { return to_numpy(matrix.rows(), matrix.size(), matrix.size()); }

// The data and where to begin.
struct Problem {
  DagmaData data;
  SquareMatrix weights;
};

Problem problem(const Rows& moments, const Rows& values, const Rows& weights) {
  Problem result{{square(moments), {values.data(), values.size()}, values.shape(0)}, square(weights)};
  const std::size_t p = result.data.moments.size();
  if (values.shape(0) && values.shape(1) != p) throw nb::value_error("one column per variable");
  if (result.weights.size() != p) throw nb::value_error("one row of weights per variable");
  return result;
}

std::optional<NumpyMatrix<double>> by_adam(Rows moments, Rows values, Rows start, const DagmaStage& stage,
                                           const DagmaAdam& adam, std::size_t most_steps) {
  if (adam.checkpoint == 0) throw nb::value_error("checkpoint must be positive");
  const Problem given = problem(moments, values, start);
  const auto fit = [&] {
    const nb::gil_scoped_release release;
    return dagma_by_adam(given.data, given.weights, stage, adam, most_steps);
  };
  const auto found = fit();
  return found ? std::optional(numpy(*found)) : std::nullopt;
}

std::optional<std::pair<NumpyMatrix<double>, std::size_t>> by_quasi_newton(Rows moments, Rows values, Rows start,
                                                                           const DagmaStage& stage, double gain,
                                                                           std::size_t most_steps) {
  const Problem given = problem(moments, values, start);
  const auto fit = [&] {
    const nb::gil_scoped_release release;
    return dagma_by_quasi_newton(given.data, given.weights, stage, gain, most_steps);
  };
  const auto found = fit();
  if (!found) return std::nullopt;
  return std::pair(numpy(found->weights), found->steps);
}

std::pair<std::optional<double>, NumpyMatrix<double>> smooth(Rows moments, Rows values, Rows weights,
                                                             const DagmaStage& stage) {
  const Problem given = problem(moments, values, weights);
  SquareMatrix gradient(given.weights.size());
  const auto value = dagma_smooth(given.data, given.weights, stage, gradient);
  return {value, numpy(gradient)};
}

NumpyMatrix<double> second_moments(const Columns<double>& values) {
  const std::size_t p = values.shape(1);
  std::vector<double> result(p * p);
  {
    const nb::gil_scoped_release release;
    const Moments found = dagathlon::moments(value_columns(values), values.shape(0));
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j < p; ++j) result[i * p + j] = found.scatter(i, j) / static_cast<double>(found.rows);
  }
  return to_numpy(std::move(result), p, p);
}

}  // namespace

static void bind_dagma(nb::module_& m) {
  nb::class_<DagmaStage>(m, "DagmaStage")
      .def("__init__", from_fields<DagmaStage, double, double, double>(), nb::kw_only(), nb::arg("sparsity"),
           nb::arg("weight_of_loss"), nb::arg("log_determinant_scale"));
  nb::class_<DagmaAdam>(m, "DagmaAdam")
      .def("__init__", from_fields<DagmaAdam, double, double, double, std::size_t>(), nb::kw_only(),
           nb::arg("learning_rate"), nb::arg("beta1"), nb::arg("beta2"), nb::arg("checkpoint"));
  m.def("dagma_by_adam", &by_adam, nb::arg("moments"), nb::arg("values"), nb::arg("start"), nb::arg("stage"),
        nb::arg("adam"), nb::arg("most_steps"),
        "One stage of DAGMA, least squares without values; None when the start is out of the domain.");
  m.def("dagma_by_quasi_newton", &by_quasi_newton, nb::arg("moments"), nb::arg("values"), nb::arg("start"),
        nb::arg("stage"), nb::arg("gain"), nb::arg("most_steps"),
        "The same by quasi-Newton steps: weights and the number of steps.");
  m.def("dagma_smooth", &smooth, nb::arg("moments"), nb::arg("values"), nb::arg("weights"), nb::arg("stage"),
        "Loss and acyclicity over the weight of the loss, None out of the domain, and the gradient.");
  m.def("second_moments", &second_moments, nb::arg("values"),
        "Second moments of columns about their means, the same digits on every machine.");
}

static const Part dagma_part("dagma", bind_dagma);

}  // namespace dagathlon
