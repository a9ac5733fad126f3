#include "dagathlon/undirected/pseudo_likelihood.hpp"

#include "bind.hpp"
#include "chain_options.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

UndirectedLog sample(BoundScore& score, double log_odds, std::size_t max_neighbours, const ChainOptions& options) {
  const ChainLength length = options.length();
  const nb::gil_scoped_release unlocked;
  return score.with_plain([&](Score& s) {
    return pseudo_likelihood_chain(s, {log_odds, max_neighbours}, BitMatrix(s.size()), length, options.random());
  });
}

}  // namespace

static void bind_pseudo_likelihood(nb::module_& m) {
  m.def("pseudo_likelihood_chain", &sample, nb::arg("score"), nb::arg("log_odds"), nb::arg("max_neighbours"),
        nb::arg("options"), "Undirected graphs by the product of the terms of all nodes given their neighbours.");
}

static const Part pseudo_likelihood_part("pseudo_likelihood", bind_pseudo_likelihood);

}  // namespace dagathlon
