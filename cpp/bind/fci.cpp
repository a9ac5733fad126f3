#include "dagathlon/fci.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "bind.hpp"
#include "dagathlon/gfci.hpp"
#include "dagathlon/rfci.hpp"

namespace dagathlon {

namespace {

using Pairs = std::optional<Matrix<const bool>>;
using Learned = std::tuple<MarkedGraph, std::size_t, std::size_t>;

const std::map<std::string, ColliderRule> rules{{"separating-set", ColliderRule::separating_set},
                                                {"conservative", ColliderRule::conservative},
                                                {"majority", ColliderRule::majority},
                                                {"highest-p", ColliderRule::highest_p}};
const std::map<std::string, SecondPass> passes{{"none", SecondPass::none},
                                               {"subsets", SecondPass::subsets},
                                               {"adaptive", SecondPass::adaptive},
                                               {"ancestors", SecondPass::ancestors},
                                               {"hierarchy", SecondPass::hierarchy}};

void take_knowledge(PagOptions& options, const Matrix<const bool>& forbidden, const Matrix<const bool>& required,
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

void fill(PagOptions& options, std::size_t n, double alpha, std::optional<std::size_t> max_order, bool stable,
          const std::string& colliders, bool selection, const Pairs& forbidden, const Pairs& required) {
  options.skeleton.alpha = alpha;
  options.skeleton.max_order = max_order.value_or(no_node);
  options.skeleton.stable = stable;
  options.colliders = chosen(rules, colliders);
  if (!selection) options.rules = all_rules & static_cast<RuleSet>(~(rule(5) | rule(6) | rule(7)));
  if (forbidden && required) take_knowledge(options, *forbidden, *required, n);
}

void check_size(const IndependenceTest& test, const PagOptions& options) {
  if (options.forbidden.size() != 0 && options.forbidden.size() != test.size())
    throw nb::value_error("test and knowledge of different size");
}

template <class Search>
Learned counted(IndependenceTest& test, const PagOptions& options, Search&& search) {
  check_size(test, options);
  const nb::gil_scoped_release release;
  const std::size_t before = test.calls();
  LearnedPag found = search();
  return {std::move(found.graph), test.calls() - before, found.ambiguous};
}

}  // namespace

static void bind_fci(nb::module_& m) {
  nb::class_<PagOptions>(m, "PagOptions")
      .def("__init__",
           [](PagOptions* self, std::size_t n, double alpha, std::optional<std::size_t> max_order, bool stable,
              const std::string& colliders, bool selection, const Pairs& forbidden, const Pairs& required) {
             fill(*new (self) PagOptions, n, alpha, max_order, stable, colliders, selection, forbidden, required);
           },
           nb::arg("n"), nb::arg("alpha"), nb::arg("max_order").none(), nb::arg("stable"), nb::arg("colliders"),
           nb::arg("selection"), nb::arg("forbidden").none(), nb::arg("required").none());
  m.def("fci",
        [](IndependenceTest& test, const PagOptions& shared, const std::string& second_pass) {
          const FciOptions options{shared, chosen(passes, second_pass)};
          return counted(test, options, [&] { return learn_fci(test, options); });
        },
        nb::arg("test"), nb::arg("options"), nb::arg("second_pass"),
        "The PAG, the number of tests, and the number of triples left open.");
  m.def("rfci",
        [](IndependenceTest& test, const PagOptions& options) {
          return counted(test, options, [&] { return learn_rfci(test, options); });
        },
        nb::arg("test"), nb::arg("options"), "The PAG, the number of tests, and 0.");
  m.def("gfci",
        [](IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options) {
          if (scored.size() != test.size()) throw nb::value_error("test and graph of different size");
          return counted(test, options, [&] { return learn_gfci(test, scored, options); });
        },
        nb::arg("test"), nb::arg("scored"), nb::arg("options"), "The PAG, the number of tests, and 0.");
}

static const Part part("fci", bind_fci);

}  // namespace dagathlon
