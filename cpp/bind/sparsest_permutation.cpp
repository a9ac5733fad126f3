#include "dagathlon/order/sparsest_permutation.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind.hpp"

namespace dagathlon {

static void bind_sparsest_permutation(nb::module_& m) {
  nb::class_<SparsestPermutation>(m, "SparsestPermutation")
      .def("__init__",
           from_fields<SparsestPermutation, double, std::size_t, std::size_t, std::size_t, std::size_t, bool, bool,
                       std::uint64_t>(),
           nb::kw_only(), nb::arg("alpha"), nb::arg("depth"), nb::arg("max_steps"), nb::arg("starts"), nb::arg("draws"),
           nb::arg("by_degree"), nb::arg("take_sparsest"), nb::arg("seed"));
  m.def(
      "sparsest_permutation",
      [](IndependenceTest& test, const SparsestPermutation& how) {
        auto found = sparsest_permutation(test, how);
        return std::tuple(std::move(found.dag), found.steps);
      },
      nb::arg("test"), nb::arg("how"), ReleaseGil(), "The sparsest DAG found, and how often it became sparser.");
}

static const Part sparsest_permutation_part("sparsest_permutation", bind_sparsest_permutation);

}  // namespace dagathlon
