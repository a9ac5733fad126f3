#include "dagathlon/sparsest_permutation.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bind.hpp"

namespace dagathlon {

static void bind_sparsest_permutation(nb::module_& m) {
  m.def("sparsest_permutation",
        [](IndependenceTest& test, double alpha, std::size_t depth, std::size_t max_steps, std::size_t starts,
           std::size_t draws, bool by_degree, bool take_sparsest, std::uint64_t seed) {
          auto found = sparsest_permutation(
              test, {alpha, depth, max_steps, starts, draws, by_degree, take_sparsest, seed});
          return std::tuple(std::move(found.dag), found.steps);
        },
        nb::arg("test"), nb::arg("alpha"), nb::arg("depth"), nb::arg("max_steps"), nb::arg("starts"),
        nb::arg("draws"), nb::arg("by_degree"), nb::arg("take_sparsest"), nb::arg("seed"), ReleaseGil(),
        "The sparsest DAG found, and how often it became sparser.");
}

static const Part part("sparsest_permutation", bind_sparsest_permutation);

}  // namespace dagathlon
