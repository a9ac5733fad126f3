#include "knowledge.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

namespace dagathlon {

void check_size(const BitMatrix& known, const IndependenceTest& test) {
  if (known.size() != 0 && known.size() != test.size()) throw nb::value_error("test and knowledge of different size");
}

void check_size(const SkeletonOptions& options, const IndependenceTest& test) {
  check_size(options.fixed_edges, test);
  if (options.sequence.empty()) return;
  check_nodes(options.sequence, test.size());
  const BitSet all = to_set(options.sequence, test.size());
  if (options.sequence.size() != test.size() || count(all) != test.size())
    throw nb::value_error("a sequence has every variable once");
}

namespace {

// Pairs that may not be joined in either direction, and pairs that must be joined.
void fix_pairs(SkeletonOptions& options, const KnownEdges& known) {
  const std::size_t n = known.forbidden.size();
  options.fixed_gaps = options.fixed_edges = BitMatrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (known.required.test(i, j) || known.required.test(j, i)) options.fixed_edges.set(i, j);
      else if (known.forbidden.test(i, j) && known.forbidden.test(j, i)) options.fixed_gaps.set(i, j);
    }
}

SkeletonOptions skeleton_options(double alpha, std::optional<std::size_t> max_order, bool stable,
                                 const KnownEdges& known, bool possible_causes_only, bool one_sided, bool ask_again,
                                 const NodeList& sequence) {
  SkeletonOptions options;
  options.alpha = alpha;
  options.max_order = max_order.value_or(no_node);
  options.stable = stable;
  options.one_sided = one_sided;
  options.ask_again = ask_again;
  options.sequence = sequence;
  if (known.empty()) return options;
  fix_pairs(options, known);
  if (possible_causes_only) options.possible_causes = possible_ancestors(known.forbidden);
  return options;
}

}  // namespace

static void bind_knowledge(nb::module_& m) {
  nb::class_<KnownEdges>(m, "KnownEdges", "Edges that must not, and must, be there, from row to column.")
      .def(nb::init<>())
      .def(
          "__init__",
          [](KnownEdges* self, const Matrix<const bool>& forbidden, const Matrix<const bool>& required) {
            const std::size_t n = forbidden.shape(0);
            new (self) KnownEdges{to_bits(forbidden, n), to_bits(required, n)};
          },
          nb::arg("forbidden"), nb::arg("required"));
  nb::class_<SkeletonOptions>(m, "SkeletonOptions", "How a skeleton is searched.")
      .def(
          "__init__",
          [](SkeletonOptions* self, double alpha, std::optional<std::size_t> max_order, bool stable,
             const KnownEdges& known, bool possible_causes_only, bool one_sided, bool ask_again,
             const NodeList& sequence) {
            new (self) SkeletonOptions(skeleton_options(alpha, max_order, stable, known, possible_causes_only,
                                                        one_sided, ask_again, sequence));
          },
          nb::arg("alpha"), nb::arg("max_order").none(), nb::arg("stable"), nb::arg("known"), nb::kw_only(),
          nb::arg("possible_causes_only") = false, nb::arg("one_sided") = false, nb::arg("ask_again") = false,
          nb::arg("sequence") = NodeList());
}

static const Part knowledge_part("knowledge", bind_knowledge, Part::Rank::early);

}  // namespace dagathlon
