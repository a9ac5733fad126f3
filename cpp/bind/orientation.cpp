#include "dagathlon/latent/orientation.hpp"

#include <nanobind/stl/function.h>

#include "bind.hpp"

namespace dagathlon {

namespace {

RuleSet to_rules(const std::vector<unsigned>& numbers) {
  RuleSet rules = 0;
  for (const unsigned k : numbers) {
    if (k < 1 || k > 10) throw nb::value_error("orientation rules are numbered from 1 to 10");
    rules |= rule(k);
  }
  return rules;
}

}  // namespace

static void bind_orientation(nb::module_& m) {
  m.def(
      "orient_colliders",
      [](MarkedGraph graph, const SeparatorLookup& in_separating_set) {
        orient_colliders(graph, in_separating_set);
        return graph;
      },
      nb::arg("graph"), nb::arg("in_separating_set"),
      "Rule 0; in_separating_set(a, c, b) says whether c is in the set that separated a and b.");
  m.def(
      "orient",
      [](MarkedGraph graph, const SeparatorLookup& in_separating_set, const std::vector<unsigned>& rules,
         bool as_pcalg) {
        OrientationOptions options;
        options.as_pcalg = as_pcalg;
        options.rules = to_rules(rules);
        orient(graph, in_separating_set, options);
        return graph;
      },
      nb::arg("graph"), nb::arg("in_separating_set"), nb::arg("rules"), nb::arg("as_pcalg") = false,
      "The listed rules of 1 to 10, applied until none changes the graph.");
}

static const Part orientation_part("orientation", bind_orientation);

}  // namespace dagathlon
