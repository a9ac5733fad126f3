#include "bind.hpp"
#include "columns.hpp"
#include "dagathlon/data/covariance.hpp"

namespace dagathlon {

namespace {

Moments moments_of(std::size_t rows, std::vector<double> means, const Matrix<const double>& scatter) {
  const std::size_t n = means.size();
  if (scatter.shape(0) != n || scatter.shape(1) != n) throw nb::value_error("a square matrix for the means");
  SymmetricMatrix matrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) matrix.set(i, j, scatter(i, j));
  return {rows, std::move(means), std::move(matrix)};
}

NumpyMatrix<double> scatter_of(const Moments& moments) {
  const std::size_t p = moments.scatter.size();
  return to_numpy(std::vector<double>(moments.scatter.row(0), moments.scatter.row(0) + p * p), p, p);
}

}  // namespace

static void bind_moments(nb::module_& m) {
  nb::class_<Moments>(m, "Moments", "Number of rows, means, and sums of products of deviations.")
      .def_static("of", &moments_of, nb::arg("rows"), nb::arg("means"), nb::arg("scatter"))
      .def_prop_ro("rows", [](const Moments& moments) { return moments.rows; })
      .def_prop_ro("means", [](const Moments& moments) { return moments.means; })
      .def("scatter", &scatter_of);
  m.def(
      "moments", [](const Columns<double>& values) { return moments(value_columns(values), values.shape(0)); },
      nb::arg("values"), ReleaseGil());
}

static const Part moments_part("moments", bind_moments, Part::Rank::early);

}  // namespace dagathlon
