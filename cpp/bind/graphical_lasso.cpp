#include "dagathlon/undirected/graphical_lasso.hpp"

#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "dagathlon/linalg/positive_inverse.hpp"
#include "vector.hpp"

namespace dagathlon {

namespace {

SquareMatrix square(const Matrix<const double>& rows) {
  if (rows.shape(0) != rows.shape(1)) throw nb::value_error("the matrix must be square");
  return {{rows.data(), rows.size()}, rows.shape(0)};
}

MatrixView view(const Matrix<const double>& rows) {
  if (rows.shape(0) != rows.shape(1)) throw nb::value_error("the matrix must be square");
  for (std::size_t i = 0; i < rows.shape(0); ++i)
    if (!(rows.data()[i * rows.shape(1) + i] > 0.0)) throw nb::value_error("the diagonal must be positive");
  return {rows.data(), rows.shape(0)};
}

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A path with the matrix that it looks at.
struct BoundPath {
  BoundPath(Matrix<const double> given, const GraphicalLassoSettings& settings)
      : covariance(std::move(given)), path(view(covariance), settings) {}

  Matrix<const double> covariance;
  GraphicalLassoPath path;
};

std::pair<std::size_t, double> solve(BoundPath& self, double penalty) {
  if (!(penalty >= 0.0)) throw nb::value_error("a penalty is not negative");
  const nb::gil_scoped_release release;
  const LassoProgress progress = self.path.solve(penalty);
  return {progress.steps, progress.violation};
}

std::pair<std::size_t, double> refit(BoundPath& self, const Vector<std::int64_t>& places,
                                     const Vector<double>& values) {
  const std::size_t n = self.path.size();
  if (places.size() != values.size()) throw nb::value_error("one value per place");
  std::vector<MatrixEntry> start;
  std::size_t positive = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto place = static_cast<std::size_t>(places.data()[k]);
    if (place >= n * n || (k > 0 && place <= start.back().place)) throw nb::value_error("places ascend in the matrix");
    positive += place % (n + 1) == 0 && values.data()[k] > 0.0;
    start.push_back({place, values.data()[k]});
  }
  if (positive != n) throw nb::value_error("the diagonal must be positive");
  const nb::gil_scoped_release release;
  const LassoProgress progress = self.path.refit(start);
  return {progress.steps, progress.violation};
}

std::pair<NumpyVector<std::int64_t>, NumpyVector<double>> entries(const BoundPath& self) {
  std::vector<std::int64_t> places;
  std::vector<double> values;
  for (const MatrixEntry& entry : self.path.entries()) {
    places.push_back(static_cast<std::int64_t>(entry.place));
    values.push_back(entry.value);
  }
  return {to_vector(std::move(places)), to_vector(std::move(values))};
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
  nb::class_<BoundPath>(m, "GraphicalLassoPath")
      .def(nb::init<Matrix<const double>, const GraphicalLassoSettings&>(), nb::arg("covariance"), nb::arg("settings"))
      .def("solve", &solve, nb::arg("penalty"), "Newton steps, and the largest violation of the optimum's conditions.")
      .def("refit", &refit, nb::arg("places"), nb::arg("values"),
           "Maximum likelihood with the zeros of a matrix of these entries; steps and violation as of a penalty of "
           "zero.")
      .def("entries", &entries,
           "Places, row after row, and values of what is not zero in the precision matrix that was solved last.");
  m.def("invert_positive", &inverted, nb::arg("matrix"),
        "Inverse and logarithm of the determinant; ValueError unless positive definite.");
}

static const Part graphical_lasso_part("graphical_lasso", bind_graphical_lasso);

}  // namespace dagathlon
