#include "dagathlon/data/linear_sem.hpp"

#include "bind.hpp"

namespace dagathlon {

namespace {

using SemColumns = nb::ndarray<double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

std::span<const double> square_cells(const Matrix<const double>& weights) {
  if (weights.shape(0) != weights.shape(1)) throw nb::value_error("a matrix of weights is square_cells");
  return {weights.data(), weights.size()};
}

void checked_propagate(Matrix<const double> weights, SemColumns values) {
  const std::size_t n = weights.shape(0);
  const auto cells = square_cells(weights);
  if (values.shape(1) != n) throw nb::value_error("one column of values per node");
  const auto order = weight_order(cells, n);
  if (order.size() < n) throw nb::value_error("the weights form a directed cycle");
  propagate(cells, order, values.shape(0), {values.data(), values.size()});
}

}  // namespace

static void bind_linear_sem(nb::module_& m) {
  m.def(
      "weight_order",
      [](Matrix<const double> weights) { return weight_order(square_cells(weights), weights.shape(0)); },
      nb::arg("weights"), ReleaseGil(), "Parents first; nodes on or after a directed cycle are left out.");
  m.def("propagate", &checked_propagate, nb::arg("weights"), nb::arg("values").noconvert(), ReleaseGil(),
        "Adds to each column of noise, in place, its weighted parents.");
}

static const Part linear_sem_part("linear_sem", bind_linear_sem);

}  // namespace dagathlon
