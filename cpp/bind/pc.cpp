#include "dagathlon/constraint/pc.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "dagathlon/graph/orientation_rules.hpp"
#include "knowledge.hpp"

namespace dagathlon {

namespace {

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
                                                  {"existing", ColliderOrder::existing},
                                                  {"bidirected", ColliderOrder::bidirected},
                                                  {"then-confirmed", ColliderOrder::then_confirmed}};
const std::map<std::string, Contradiction> contradictions{
    {"keep", Contradiction::keep}, {"random", Contradiction::random}, {"retry", Contradiction::retry}};

bool by_p_value(ColliderOrder order) {
  return order == ColliderOrder::by_p_value || order == ColliderOrder::by_high_p_value;
}

PcOptions pc_options(const SkeletonOptions& skeleton, const KnownEdges& known, const std::string& rule,
                     const std::string& order, const std::string& contradiction, std::uint64_t seed) {
  PcOptions options;
  options.skeleton = skeleton;
  options.rule = chosen(rules, rule);
  options.order = chosen(orders, order);
  options.contradiction = chosen(contradictions, contradiction);
  options.acyclic = by_p_value(options.order);
  options.seed = seed;
  options.forbidden = known.forbidden;
  options.required = known.required;
  return options;
}

Learned pc(IndependenceTest& test, const PcOptions& given, IndependenceTest* correction) {
  check_size(given.forbidden, test);
  check_size(given.skeleton, test);
  if (correction && correction->size() != test.size()) throw nb::value_error("two tests of different data");
  PcOptions options = given;
  options.correction = correction;
  const nb::gil_scoped_release release;
  PcResult result = learn_pc(test, options);
  return {std::move(result.graph), std::move(result.tests), result.ambiguous};
}

std::tuple<MarkedGraph, std::vector<std::size_t>> pc_skeleton(IndependenceTest& test, const SkeletonOptions& options) {
  check_size(options, test);
  const nb::gil_scoped_release release;
  const Skeleton skeleton = find_skeleton(test, options);
  return {OrientationState(skeleton.adjacent).graph(), skeleton.tests};
}

DualPcOptions dual_options(double alpha, std::optional<std::size_t> max_order, bool as_program) {
  DualPcOptions options;
  options.alpha = alpha;
  options.max_order = max_order.value_or(no_node);
  options.as_program = as_program;
  return options;
}

std::tuple<MarkedGraph, std::vector<std::size_t>> dual_pc(IndependenceTest& test, const DualPcOptions& options,
                                                          const std::string& conflicts, bool colliders,
                                                          bool rules_too) {
  auto* gaussian = dynamic_cast<GaussianTest*>(&test);
  if (gaussian == nullptr) throw nb::value_error("needs a Gaussian test on complete data");
  const ColliderOrder order = chosen(orders, conflicts);
  const nb::gil_scoped_release release;
  const Skeleton skeleton = find_dual_skeleton(*gaussian, options);
  OrientationState state(skeleton.adjacent);
  if (colliders) orient_colliders(state, test, skeleton.separating, {}, {order, {}});
  RuleOptions how;
  how.mark_conflicts = order == ColliderOrder::with_conflicts;
  if (rules_too) apply_rules(state, {}, how);
  return {state.graph(), skeleton.tests};
}

}  // namespace

static void bind_pc(nb::module_& m) {
  nb::class_<PcOptions>(m, "PcOptions", "How the edges of a skeleton are directed.")
      .def(
          "__init__",
          [](PcOptions* self, const SkeletonOptions& skeleton, const KnownEdges& known, const std::string& rule,
             const std::string& order, const std::string& contradiction, std::uint64_t seed,
             bool open_as_noncolliders) {
            new (self) PcOptions(pc_options(skeleton, known, rule, order, contradiction, seed));
            self->open_as_noncolliders = open_as_noncolliders;
          },
          nb::arg("skeleton"), nb::arg("known"), nb::arg("rule"), nb::arg("order"), nb::arg("contradiction"),
          nb::arg("seed"), nb::kw_only(), nb::arg("open_as_noncolliders") = false);
  m.def("pc", &pc, nb::arg("test"), nb::arg("options"), nb::arg("correction").none(),
        "The graph, the number of tests of each level, and the number of triples left open.");
  m.def("pc_skeleton", &pc_skeleton, nb::arg("test"), nb::arg("options"),
        "The skeleton and the number of tests of each level.");
  nb::class_<DualPcOptions>(m, "DualPcOptions", "How the skeleton of the dual PC algorithm is found.")
      .def(
          "__init__",
          [](DualPcOptions* self, double alpha, std::optional<std::size_t> max_order, bool as_program) {
            new (self) DualPcOptions(dual_options(alpha, max_order, as_program));
          },
          nb::arg("alpha"), nb::arg("max_order").none(), nb::kw_only(), nb::arg("as_program") = false);
  m.def("dual_pc", &dual_pc, nb::arg("test"), nb::arg("options"), nb::arg("conflicts"), nb::arg("colliders"),
        nb::arg("rules"), "The graph and the number of tests of each level.");
}

static const Part pc_part("pc", bind_pc);

}  // namespace dagathlon
