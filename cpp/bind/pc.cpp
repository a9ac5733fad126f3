#include "dagathlon/pc.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "bind.hpp"
#include "dagathlon/orientation_rules.hpp"

namespace dagathlon {

namespace {

using Pairs = std::optional<Matrix<const bool>>;
using Learned = std::tuple<MarkedGraph, std::vector<std::size_t>, std::size_t>;

const std::map<std::string, ColliderRule> rules{{"separating-set", ColliderRule::separating_set},
                                                {"conservative", ColliderRule::conservative},
                                                {"majority", ColliderRule::majority},
                                                {"highest-p", ColliderRule::highest_p}};
const std::map<std::string, ColliderOrder> orders{{"by-node", ColliderOrder::by_node},
                                                  {"with-conflicts", ColliderOrder::with_conflicts},
                                                  {"by-p-value", ColliderOrder::by_p_value},
                                                  {"by-high-p-value", ColliderOrder::by_high_p_value},
                                                  {"by-separation", ColliderOrder::by_separation},
                                                  {"then-confirmed", ColliderOrder::then_confirmed}};
const std::map<std::string, Contradiction> contradictions{{"keep", Contradiction::keep},
                                                          {"random", Contradiction::random},
                                                          {"retry", Contradiction::retry}};

// Pairs that may not be joined in either direction, and pairs that must be joined.
void fix_pairs(SkeletonOptions& options, const BitMatrix& forbidden, const BitMatrix& required) {
  const std::size_t n = forbidden.size();
  options.fixed_gaps = BitMatrix(n);
  options.fixed_edges = BitMatrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (required.test(i, j) || required.test(j, i)) options.fixed_edges.set(i, j);
      else if (forbidden.test(i, j) && forbidden.test(j, i)) options.fixed_gaps.set(i, j);
    }
}

SkeletonOptions skeleton_options(double alpha, std::optional<std::size_t> max_order, bool stable) {
  SkeletonOptions options;
  options.alpha = alpha;
  options.max_order = max_order.value_or(no_node);
  options.stable = stable;
  return options;
}

PcOptions pc_options(std::size_t n, double alpha, std::optional<std::size_t> max_order, bool stable,
                     const std::string& rule, const std::string& order, const std::string& contradiction,
                     bool acyclic, std::uint64_t seed, const Pairs& forbidden, const Pairs& required,
                     bool possible_causes_only) {
  PcOptions options;
  options.skeleton = skeleton_options(alpha, max_order, stable);
  options.rule = chosen(rules, rule);
  options.order = chosen(orders, order);
  options.contradiction = chosen(contradictions, contradiction);
  options.acyclic = acyclic;
  options.seed = seed;
  if (forbidden && required) {
    options.forbidden = to_bits(*forbidden, n);
    options.required = to_bits(*required, n);
    fix_pairs(options.skeleton, options.forbidden, options.required);
    if (possible_causes_only) options.skeleton.possible_causes = possible_ancestors(options.forbidden);
  }
  return options;
}

Learned pc(IndependenceTest& test, double alpha, std::optional<std::size_t> max_order, bool stable,
           const std::string& rule, const std::string& order, const std::string& contradiction, bool acyclic,
           std::uint64_t seed, const Pairs& forbidden, const Pairs& required, bool possible_causes_only,
           bool one_sided, IndependenceTest* correction) {
  PcOptions options = pc_options(test.size(), alpha, max_order, stable, rule, order, contradiction, acyclic, seed,
                                 forbidden, required, possible_causes_only);
  if (correction && correction->size() != test.size()) throw nb::value_error("two tests of different data");
  options.skeleton.one_sided = one_sided;
  options.correction = correction;
  const nb::gil_scoped_release release;
  PcResult result = learn_pc(test, options);
  return {std::move(result.graph), std::move(result.tests), result.ambiguous};
}

std::tuple<MarkedGraph, std::vector<std::size_t>> pc_skeleton(IndependenceTest& test, double alpha,
                                                              std::optional<std::size_t> max_order, bool stable,
                                                              const Pairs& forbidden, const Pairs& required,
                                                              bool possible_causes_only) {
  SkeletonOptions options = skeleton_options(alpha, max_order, stable);
  if (forbidden && required) {
    const BitMatrix never = to_bits(*forbidden, test.size());
    fix_pairs(options, never, to_bits(*required, test.size()));
    if (possible_causes_only) options.possible_causes = possible_ancestors(never);
  }
  const nb::gil_scoped_release release;
  const Skeleton skeleton = find_skeleton(test, options);
  return {OrientationState(skeleton.adjacent).graph(), skeleton.tests};
}

std::tuple<MarkedGraph, std::vector<std::size_t>> dual_pc(IndependenceTest& test, double alpha,
                                                          std::optional<std::size_t> max_order, bool complement_always,
                                                          bool colliders, bool rules_too) {
  auto* gaussian = dynamic_cast<GaussianTest*>(&test);
  if (gaussian == nullptr) throw nb::value_error("needs a Gaussian test on complete data");
  DualPcOptions options;
  options.alpha = alpha;
  options.max_order = max_order.value_or(no_node);
  options.complement_always = complement_always;
  const nb::gil_scoped_release release;
  const Skeleton skeleton = find_dual_skeleton(*gaussian, options);
  OrientationState state(skeleton.adjacent);
  if (colliders) orient_colliders(state, test, skeleton.separating, {}, ColliderOrder::by_node);
  if (rules_too) apply_rules(state, {}, {});
  return {state.graph(), skeleton.tests};
}

}  // namespace

void bind_pc(nb::module_& m) {
  m.def("pc", &pc, nb::arg("test"), nb::arg("alpha"), nb::arg("max_order").none(), nb::arg("stable"),
        nb::arg("rule"), nb::arg("order"), nb::arg("contradiction"), nb::arg("acyclic"), nb::arg("seed"),
        nb::arg("forbidden").none(), nb::arg("required").none(), nb::arg("possible_causes_only"),
        nb::arg("one_sided"), nb::arg("correction").none(), "The graph, the number of tests of each level, and the number of triples left open.");
  m.def("pc_skeleton", &pc_skeleton, nb::arg("test"), nb::arg("alpha"), nb::arg("max_order").none(),
        nb::arg("stable"), nb::arg("forbidden").none(), nb::arg("required").none(),
        nb::arg("possible_causes_only"), "The skeleton and the number of tests of each level.");
  m.def("dual_pc", &dual_pc, nb::arg("test"), nb::arg("alpha"), nb::arg("max_order").none(),
        nb::arg("complement_always"), nb::arg("colliders"), nb::arg("rules"),
        "The graph and the number of tests of each level.");
}

}  // namespace dagathlon
