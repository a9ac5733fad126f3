#include "dagathlon/graph/distance.hpp"

#include "bind.hpp"

namespace dagathlon {

static void bind_distance(nb::module_& m) {
  m.def(
      "differing_pairs",
      [](const MarkedGraph& a, const MarkedGraph& b) {
        if (a.size() != b.size()) throw nb::value_error("graphs of different size");
        return differing_pairs(a, b);
      },
      nb::arg("a"), nb::arg("b"), ReleaseGil());
}

static const Part distance_part("distance", bind_distance);

}  // namespace dagathlon
