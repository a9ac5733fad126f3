#include "dagathlon/continuous/lingam.hpp"

#include "bind.hpp"

namespace dagathlon {

namespace {

using Columns = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

NumpyMatrix<double> weights_along(Matrix<const double> scatter, const NodeList& order, std::size_t rows) {
  const std::size_t p = scatter.shape(0);
  if (scatter.shape(1) != p) throw nb::value_error("the matrix must be square");
  check_nodes(order, p);
  const auto along = [&] {
    const nb::gil_scoped_release release;
    return adaptive_lassos({scatter.data(), p * p}, p, order, rows);
  };
  return to_numpy(along(), p, p);
}

}  // namespace

static void bind_lingam(nb::module_& m) {
  m.def(
      "pairwise_order", [](Columns values) { return pairwise_order({values.data(), values.size()}, values.shape(0)); },
      nb::arg("values"), ReleaseGil(), "Causal order of columns by pairwise likelihood ratios.");
  m.def("weights_along", &weights_along, nb::arg("scatter"), nb::arg("order"), nb::arg("rows"),
        "Adaptive lasso of each variable on those before it: weights from row to column.");
}

static const Part lingam_part("lingam", bind_lingam);

}  // namespace dagathlon
