#include "dagathlon/undirected/christmas_tree_particles.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "bind.hpp"
#include "chain_options.hpp"
#include "clique_score.hpp"
#include "dagathlon/undirected/parallel_moves.hpp"

namespace dagathlon {

namespace {

using Cliques = std::vector<NodeList>;
using Links = std::vector<std::pair<std::size_t, std::size_t>>;
using Step = std::tuple<Cliques, Links, double, double>;

GrowingTree tree_of(const Cliques& cliques, const Links& links, std::size_t n) {
  GrowingTree tree(n);
  for (const NodeList& clique : cliques) {
    check_nodes(clique, n);
    tree.add(to_set(clique, n));
  }
  for (const auto& [a, b] : links) {
    check_nodes({a, b}, cliques.size());
    tree.link(a, b);
  }
  return tree;
}

Step written(const GrowingTree& tree, double forward, double backward) {
  Cliques cliques;
  for (std::size_t k = 0; k < tree.size(); ++k) cliques.push_back(to_list(tree.clique(k)));
  Links links;
  tree.for_each_edge([&](std::size_t a, std::size_t b) { links.emplace_back(a, b); });
  return {std::move(cliques), std::move(links), forward, backward};
}

Step step(const DecomposableTarget& target, const ParticleOptions& options, GrowingTree tree, std::size_t node,
          std::uint64_t seed) {
  Stream random(seed, 0);
  const auto kernel = kernel_for(target, options);
  Extension extension;
  kernel->draw(tree, node, extension, random);
  draw_moves(tree, extension, random);
  const double forward = log_forward(*kernel, tree, node, extension), backward = log_backward(tree, extension);
  extend(tree, node, extension, random);
  return written(tree, forward, backward);
}

}  // namespace

static void bind_christmas_tree(nb::module_& m) {
  nb::class_<ParticleOptions>(m, "ParticleOptions", "How junction trees grow, and how many side by side.")
      .def("__init__", from_fields<ParticleOptions, std::size_t, double, double, std::size_t, std::size_t, bool>(),
           nb::kw_only(), nb::arg("particles"), nb::arg("alpha"), nb::arg("beta"), nb::arg("radius"), nb::arg("block"),
           nb::arg("informed"));
  m.def("decomposable_counts", &decomposable_counts, nb::arg("nodes"), nb::arg("options"), nb::arg("estimates"),
        nb::arg("seed"), ReleaseGil(), "Logarithms of estimates of the number of decomposable graphs.");
  m.def(
      "christmas_tree_step",
      [](const BoundTarget& target, const ParticleOptions& options, const Cliques& cliques, const Links& links,
         std::size_t node, std::uint64_t seed) {
        check_node(node, target.size());
        return target.with([&](const DecomposableTarget& t) {
          return step(t, options, tree_of(cliques, links, t.size()), node, seed);
        });
      },
      nb::arg("target"), nb::arg("options"), nb::arg("cliques"), nb::arg("links"), nb::arg("node"), nb::arg("seed"),
      "A node put into a junction tree: cliques, links, and the log probabilities of the step and of the way "
      "back; of a node without neighbours how parts are joined is not in them.");
  m.def(
      "particle_gibbs",
      [](const BoundTarget& target, const ParticleOptions& options, const ChainOptions& chain) {
        return target.with(
            [&](const DecomposableTarget& t) { return particle_gibbs(t, options, chain.length(), chain.random()); });
      },
      nb::arg("target"), nb::arg("options"), nb::arg("chain"), ReleaseGil());
  m.def(
      "parallel_moves",
      [](const BoundTarget& target, std::size_t randomise, const ChainOptions& chain) {
        return target.with(
            [&](const DecomposableTarget& t) { return parallel_moves(t, randomise, chain.length(), chain.random()); });
      },
      nb::arg("target"), nb::arg("randomise"), nb::arg("chain"), ReleaseGil());
}

static const Part christmas_tree_part("christmas_tree", bind_christmas_tree);

}  // namespace dagathlon
