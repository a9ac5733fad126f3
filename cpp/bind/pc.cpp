#include "dagathlon/pc.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bind.hpp"

namespace dagathlon {

namespace {

SkeletonOptions skeleton_options(double alpha, std::optional<std::size_t> max_order, bool stable) {
  SkeletonOptions options;
  options.alpha = alpha;
  options.max_order = max_order.value_or(no_node);
  options.stable = stable;
  return options;
}

std::tuple<MarkedGraph, std::vector<std::size_t>> pc(IndependenceTest& test, double alpha,
                                                     std::optional<std::size_t> max_order, bool stable, int triples,
                                                     bool mark_conflicts) {
  const SkeletonOptions options = skeleton_options(alpha, max_order, stable);
  Skeleton skeleton = find_skeleton(test, options);
  AmbiguousTriples ambiguous;
  if (triples == 1) ambiguous = check_triples(test, skeleton, options, ColliderRule::conservative);
  if (triples == 2) ambiguous = check_triples(test, skeleton, options, ColliderRule::majority);
  Orientation graph(skeleton.adjacent);
  orient_colliders(graph, skeleton.separating, ambiguous, mark_conflicts);
  apply_rules(graph, ambiguous, mark_conflicts);
  return {graph.graph(), skeleton.tests};
}

}  // namespace

void bind_pc(nb::module_& m) {
  m.def("pc", &pc, nb::arg("test"), nb::arg("alpha"), nb::arg("max_order").none(), nb::arg("stable"),
        nb::arg("triples"), nb::arg("mark_conflicts"), ReleaseGil());
}

}  // namespace dagathlon
