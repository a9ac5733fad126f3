#include "dagathlon/christmas_tree_particles.hpp"

#include "bind.hpp"
#include "chain_options.hpp"
#include "clique_score.hpp"
#include "dagathlon/parallel_moves.hpp"

namespace dagathlon {

static void bind_christmas_tree(nb::module_& m) {
  nb::class_<ParticleOptions>(m, "ParticleOptions", "How junction trees grow, and how many side by side.")
      .def("__init__", from_fields<ParticleOptions, std::size_t, double, double, std::size_t, std::size_t, bool>(), nb::kw_only(),
           nb::arg("particles"), nb::arg("alpha"), nb::arg("beta"), nb::arg("radius"), nb::arg("block"),
           nb::arg("informed"));
  m.def("decomposable_counts", &decomposable_counts, nb::arg("nodes"), nb::arg("options"), nb::arg("estimates"),
        nb::arg("seed"), ReleaseGil(), "Logarithms of estimates of the number of decomposable graphs.");
  m.def(
      "particle_gibbs",
      [](const BoundTarget& target, const ParticleOptions& options, const ChainOptions& chain) {
        return target.with([&](const DecomposableTarget& t) {
          return particle_gibbs(t, options, chain.length(), chain.random());
        });
      },
      nb::arg("target"), nb::arg("options"), nb::arg("chain"), ReleaseGil());
  m.def(
      "parallel_moves",
      [](const BoundTarget& target, std::size_t randomise, const ChainOptions& chain) {
        return target.with([&](const DecomposableTarget& t) {
          return parallel_moves(t, randomise, chain.length(), chain.random());
        });
      },
      nb::arg("target"), nb::arg("randomise"), nb::arg("chain"), ReleaseGil());
}

static const Part part("christmas_tree", bind_christmas_tree);

}  // namespace dagathlon
