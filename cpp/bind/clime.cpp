#include "dagathlon/undirected/clime.hpp"

#include "bind.hpp"

namespace dagathlon {

namespace {

void make_matrix(SquareMatrix* self, const Matrix<const double>& rows) {
  if (rows.shape(0) != rows.shape(1)) throw nb::value_error("the matrix must be square");
  new (self) SquareMatrix({rows.data(), rows.size()}, rows.shape(0));
}

NumpyMatrix<double> column(const SquareMatrix& covariance, std::size_t target, const std::vector<double>& penalties) {
  check_node(target, covariance.size());
  std::vector<double> cells;
  std::size_t found = 0;
  {
    const nb::gil_scoped_release release;
    for (const auto& row : clime_column(covariance, target, penalties)) {
      cells.insert(cells.end(), row.begin(), row.end());
      ++found;
    }
  }
  return to_numpy(std::move(cells), found, covariance.size());
}

}  // namespace

static void bind_clime(nb::module_& m) {
  nb::class_<SquareMatrix>(m, "SquareMatrix").def("__init__", &make_matrix, nb::arg("rows"));
  m.def("clime_column", &column, nb::arg("covariance"), nb::arg("target"), nb::arg("penalties"),
        "A solution per penalty, in decreasing order, up to the last that has one.");
}

static const Part clime_part("clime", bind_clime);

}  // namespace dagathlon
