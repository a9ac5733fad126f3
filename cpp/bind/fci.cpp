#include "dagathlon/fci.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bind.hpp"

namespace dagathlon {

namespace {

using Pairs = std::optional<Matrix<const bool>>;

void take_knowledge(FciOptions& options, const Matrix<const bool>& forbidden, const Matrix<const bool>& required,
                    std::size_t n) {
  options.forbidden = to_bits(forbidden, n);
  options.required = to_bits(required, n);
  options.skeleton.fixed_gaps = options.skeleton.fixed_edges = BitMatrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (options.required.test(i, j) || options.required.test(j, i)) options.skeleton.fixed_edges.set(i, j);
      else if (options.forbidden.test(i, j) && options.forbidden.test(j, i)) options.skeleton.fixed_gaps.set(i, j);
    }
}

std::tuple<MarkedGraph, std::size_t> fci(IndependenceTest& test, double alpha, std::optional<std::size_t> max_order,
                                         bool stable, bool second_pass, bool selection, const Pairs& forbidden,
                                         const Pairs& required) {
  FciOptions options;
  options.skeleton.alpha = alpha;
  options.skeleton.max_order = max_order.value_or(no_node);
  options.skeleton.stable = stable;
  options.possible_d_sep = second_pass;
  if (!selection) options.rules = all_rules & static_cast<RuleSet>(~(rule(5) | rule(6) | rule(7)));
  if (forbidden && required) take_knowledge(options, *forbidden, *required, test.size());
  const nb::gil_scoped_release release;
  const std::size_t before = test.calls();
  MarkedGraph graph = learn_fci(test, options);
  return {std::move(graph), test.calls() - before};
}

}  // namespace

void bind_fci(nb::module_& m) {
  m.def("fci", &fci, nb::arg("test"), nb::arg("alpha"), nb::arg("max_order").none(), nb::arg("stable"),
        nb::arg("second_pass"), nb::arg("selection"), nb::arg("forbidden").none(), nb::arg("required").none(),
        "The PAG and the number of tests.");
}

}  // namespace dagathlon
