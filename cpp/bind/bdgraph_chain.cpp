#include "dagathlon/undirected/bdgraph_chain.hpp"

#include "bind.hpp"
#include "chain_options.hpp"
#include "copula.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

namespace {

UndirectedLog of_rows(const MarkedGraph& start, const Matrix<const double>& products, double rows,
                      const BdgraphRules& rules, const ChainOptions& options) {
  const ChainLength length = options.length();
  const std::size_t n = start.size();
  if (products.shape(0) != n || products.shape(1) != n) throw nb::value_error("one row and column per node");
  const BdgraphData data{{products.data(), n * n}, rows};
  const nb::gil_scoped_release unlocked;
  return bdgraph_chain(start.adjacency_rows(), rules, data, length, options.random());
}

UndirectedLog of_copula(const MarkedGraph& start, const CopulaStart& copula, const BdgraphRules& rules,
                        const ChainOptions& options) {
  const ChainLength length = options.length();
  if (start.size() != copula.columns.size()) throw nb::value_error("one column per node");
  const nb::gil_scoped_release unlocked;
  CopulaData latent(copula.latents());
  const BdgraphData data{latent.scatter(), latent.rows(), &latent};
  return bdgraph_chain(start.adjacency_rows(), rules, data, length, options.random());
}

}  // namespace

static void bind_bdgraph_chain(nb::module_& m) {
  nb::class_<BdgraphRules>(m, "BdgraphRules", "The prior and the kind of a chain as in BDgraph.")
      .def("__init__", from_fields<BdgraphRules, double, double, bool, bool, std::size_t, bool>(), nb::kw_only(),
           nb::arg("edge_probability"), nb::arg("b"), nb::arg("births"), nb::arg("auxiliary"), nb::arg("jumps"),
           nb::arg("late_times"));
  m.def("bdgraph_chain", &of_rows, nb::arg("start"), nb::arg("products"), nb::arg("rows"), nb::arg("rules"),
        nb::arg("options"));
  m.def("bdgraph_copula_chain", &of_copula, nb::arg("start"), nb::arg("copula"), nb::arg("rules"), nb::arg("options"));
}

static const Part bdgraph_chain_part("bdgraph_chain", bind_bdgraph_chain);

}  // namespace dagathlon
