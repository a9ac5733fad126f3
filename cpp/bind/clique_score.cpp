#include "clique_score.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>

#include "bind.hpp"
#include "columns.hpp"
#include "dagathlon/graph/chordal.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

namespace {

// With unknown means, of which every value is as probable, a row is lost and deviations are left.
GaussianSums sums_of(const Columns<double>& values, bool zero_mean) {
  const std::size_t rows = values.shape(0);
  Moments found = moments(value_columns(values), rows);
  const auto n = static_cast<double>(rows);
  if (!zero_mean) return {std::move(found.scatter), n - 1, -0.5 * std::log(n)};
  const std::size_t p = found.means.size();
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      found.scatter.set(i, j, found.scatter(i, j) + n * found.means[i] * found.means[j]);
  return {std::move(found.scatter), n, 0};
}

BoundCliques gaussian_cliques(const Columns<double>& values, double delta, const std::vector<double>& scale,
                              bool zero_mean) {
  if (!(delta > 0)) throw nb::value_error("delta is positive");
  if (values.shape(0) == 0) throw nb::value_error("there is no row");
  if (scale.size() != values.shape(1) || std::ranges::any_of(scale, [](double d) { return !(d > 0); }))
    throw nb::value_error("scale is a positive number for each column");
  return BoundCliques(std::make_shared<GaussianCliques>(sums_of(values, zero_mean), delta, scale));
}

template <class Code>
void bind_discrete_cliques(nb::module_& m) {
  m.def(
      "discrete_cliques",
      [](const Columns<Code>& codes, const NodeList& arities, double pseudo_observations) {
        if (!(pseudo_observations > 0)) throw nb::value_error("there is a positive number of pseudo observations");
        if (arities.size() != codes.shape(1)) throw nb::value_error("one arity for each column");
        auto data = std::make_unique<const DiscreteData>(discrete_data(codes, arities));
        for (std::size_t j = 0; j < data->size(); ++j)
          if (data->has_missing(j)) throw nb::value_error("clique scores take no missing values");
        return BoundCliques(std::make_shared<DiscreteCliques>(std::move(data), pseudo_observations));
      },
      nb::arg("codes"), nb::arg("arities"), nb::arg("pseudo_observations"),
      "Marginal likelihoods of sets of discrete columns under a hyper Dirichlet prior.");
}

// Nodes as clique scores take them: in increasing order, each once.
NodeList sorted_set(NodeList nodes, std::size_t n) {
  check_nodes(nodes, n);
  std::ranges::sort(nodes);
  const auto rest = std::ranges::unique(nodes);
  nodes.erase(rest.begin(), rest.end());
  return nodes;
}

CliqueTree tree_of(const MarkedGraph& graph, std::size_t n) {
  if (graph.size() != n) throw nb::value_error("graph and data of different size");
  auto tree = clique_tree(graph.adjacency_rows());
  if (!tree) throw nb::value_error("the graph is not chordal");
  return std::move(*tree);
}

std::optional<NumpyMatrix<double>> precision(const BoundTarget& target, const MarkedGraph& graph) {
  const CliqueTree tree = tree_of(graph, target.size());
  return target.with([&](const DecomposableTarget& t) -> std::optional<NumpyMatrix<double>> {
    const auto* gaussian = dynamic_cast<const GaussianCliques*>(&t.score());
    if (gaussian == nullptr) return std::nullopt;
    return to_numpy(gaussian->precision(tree).rows(), t.size(), t.size());
  });
}

}  // namespace

static void bind_clique_score(nb::module_& m) {
  nb::class_<BoundCliques>(m, "CliqueScores", "Marginal likelihoods of sets of columns.")
      .def(
          "log_marginal",
          [](const BoundCliques& cliques, NodeList nodes) {
            const NodeList sorted = sorted_set(std::move(nodes), cliques.score()->size());
            const std::lock_guard turn(*cliques.busy());
            return cliques.score()->log_marginal(sorted);
          },
          nb::arg("nodes"));
  m.def("gaussian_cliques", &gaussian_cliques, nb::arg("values"), nb::arg("delta"), nb::arg("scale"),
        nb::arg("zero_mean"), "Marginal likelihoods of sets of normal columns under a hyper inverse Wishart prior.");
  bind_discrete_cliques<std::uint8_t>(m);
  bind_discrete_cliques<std::uint16_t>(m);
  nb::class_<DecomposablePrior>(m, "DecomposablePrior", "A prior over decomposable graphs, up to a constant.")
      .def("__init__", from_fields<DecomposablePrior, double, std::size_t, std::vector<double>, std::vector<double>>(),
           nb::kw_only(), nb::arg("edge_log_odds"), nb::arg("max_clique"), nb::arg("clique_weights"),
           nb::arg("separator_weights"));
  nb::class_<BoundTarget>(m, "DecomposableTarget", "The posterior over decomposable graphs, up to a constant.")
      .def(nb::init<const BoundCliques&, DecomposablePrior>(), nb::arg("cliques"), nb::arg("prior"))
      .def("__len__", &BoundTarget::size)
      .def(
          "log_posterior",
          [](const BoundTarget& target, const MarkedGraph& graph) {
            const CliqueTree tree = tree_of(graph, target.size());
            return target.with([&](const DecomposableTarget& t) { return t.of(tree); });
          },
          nb::arg("graph"), "Likelihood and prior of a chordal graph, in logarithms.")
      .def("precision", &precision, nb::arg("graph"),
           "The posterior mean of the precision matrix given a graph; nothing for discrete data.");
}

static const Part clique_score_part("clique_score", bind_clique_score);

}  // namespace dagathlon
