#include "dagathlon/lingam.hpp"

#include "bind.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

using Columns = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

NumpyMatrix<double> weights_along(Matrix<const double> scatter, const NodeList& order, std::size_t rows) {
  const std::size_t p = scatter.shape(0);
  if (scatter.shape(1) != p) throw nb::value_error("the matrix must be square");
  check_nodes(order, p);
  std::vector<double> weights(p * p, 0.0);
  {
    const nb::gil_scoped_release release;
    for (std::size_t k = 1; k < order.size(); ++k) {
      pulse::progress(k, order.size());
      const std::span<const std::size_t> before(order.data(), k);
      const auto found = adaptive_lasso({scatter.data(), p * p}, p, before, order[k], rows);
      for (std::size_t i = 0; i < k; ++i) weights[before[i] * p + order[k]] = found[i];
    }
  }
  return to_numpy(std::move(weights), p, p);
}

}  // namespace

static void bind_lingam(nb::module_& m) {
  m.def("pairwise_order",
        [](Columns values) { return pairwise_order({values.data(), values.size()}, values.shape(0)); },
        nb::arg("values"), ReleaseGil(), "Causal order of columns by pairwise likelihood ratios.");
  m.def("weights_along", &weights_along, nb::arg("scatter"), nb::arg("order"), nb::arg("rows"),
        "Adaptive lasso of each variable on those before it: weights from row to column.");
}

static const Part part("lingam", bind_lingam);

}  // namespace dagathlon
