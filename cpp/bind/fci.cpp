#include "dagathlon/latent/fci.hpp"

#include <nanobind/stl/tuple.h>

#include <map>
#include <string>
#include <tuple>

#include "dagathlon/latent/gfci.hpp"
#include "dagathlon/latent/lv_lite.hpp"
#include "dagathlon/latent/rfci.hpp"
#include "knowledge.hpp"

namespace dagathlon {

namespace {

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
const std::map<std::string, RfciChecks> checks_of_rfci{{"all", RfciChecks::all}, {"pcalg", RfciChecks::pcalg}};

PagOptions pag_options(const SkeletonOptions& skeleton, const KnownEdges& known, const std::string& colliders,
                       bool selection, bool complete, bool test_paths) {
  PagOptions options;
  options.skeleton = skeleton;
  options.colliders = chosen(rules, colliders);
  if (!selection) options.rules = all_rules & static_cast<RuleSet>(~(rule(5) | rule(6) | rule(7)));
  if (!complete) options.rules = rule(1) | rule(2) | rule(3) | rule(4);
  options.test_paths = test_paths;
  options.forbidden = known.forbidden;
  options.required = known.required;
  return options;
}

template <class Search>
Learned counted(IndependenceTest& test, const PagOptions& options, Search&& search) {
  check_size(options.forbidden, test);
  check_size(options.skeleton, test);
  const nb::gil_scoped_release release;
  const std::size_t before = test.calls();
  LearnedPag found = search();
  return {std::move(found.graph), test.calls() - before, found.ambiguous};
}

void check_nodes(const MarkedGraph& graph, const IndependenceTest& test) {
  if (graph.size() != test.size()) throw nb::value_error("test and graph of different size");
}

}  // namespace

static void bind_fci(nb::module_& m) {
  nb::class_<PagOptions>(m, "PagOptions")
      .def(
          "__init__",
          [](PagOptions* self, const SkeletonOptions& skeleton, const KnownEdges& known, const std::string& colliders,
             bool selection, bool complete, bool test_paths) {
            new (self) PagOptions(pag_options(skeleton, known, colliders, selection, complete, test_paths));
          },
          nb::arg("skeleton"), nb::arg("known"), nb::arg("colliders"), nb::arg("selection"), nb::arg("complete") = true,
          nb::arg("test_paths") = false);
  m.def(
      "fci",
      [](IndependenceTest& test, const PagOptions& shared, const std::string& second_pass) {
        const FciOptions options{shared, chosen(passes, second_pass)};
        return counted(test, options, [&] { return learn_fci(test, options); });
      },
      nb::arg("test"), nb::arg("options"), nb::arg("second_pass"),
      "The PAG, the number of tests, and the number of triples left open.");
  m.def(
      "rfci",
      [](IndependenceTest& test, const PagOptions& options, const std::string& checks) {
        const RfciChecks chosen_checks = chosen(checks_of_rfci, checks);
        return counted(test, options, [&] { return learn_rfci(test, options, chosen_checks); });
      },
      nb::arg("test"), nb::arg("options"), nb::arg("checks"), "The PAG, the number of tests, and 0.");
  nb::class_<ScoreUse>(m, "ScoreUse")
      .def("__init__", from_fields<ScoreUse, bool, bool, bool>(), nb::kw_only(), nb::arg("scored_neighbours") = false,
           nb::arg("keep_arrows") = false, nb::arg("all_edges") = false);
  m.def(
      "gfci",
      [](IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options, const ScoreUse& use) {
        check_nodes(scored, test);
        return counted(test, options, [&] { return learn_gfci(test, scored, options, use); });
      },
      nb::arg("test"), nb::arg("scored"), nb::arg("options"), nb::arg("use"), "The PAG, the number of tests, and 0.");
  m.def(
      "lv_lite",
      [](IndependenceTest& test, const MarkedGraph& dag, const PagOptions& options, bool tested) {
        check_nodes(dag, test);
        return counted(test, options, [&] { return learn_lv_lite(test, dag, options, tested); });
      },
      nb::arg("test"), nb::arg("dag"), nb::arg("options"), nb::arg("tested") = true,
      "The PAG, the number of tests, and the number of edges that stayed although their ends were separated.");
}

static const Part fci_part("fci", bind_fci);

}  // namespace dagathlon
