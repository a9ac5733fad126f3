#include "dagathlon/undirected/unconditional_chain.hpp"

#include <stdexcept>

#include "bind.hpp"
#include "chain_options.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

UndirectedLog sample_unconditional(BoundScore& score, double power, std::size_t max_parents,
                                   std::vector<double> log_prior, const ChainOptions& options) {
  const ChainLength length = options.length();
  if (log_prior.size() != score.size()) throw nb::value_error("the prior has a weight for each number of sources");
  const UnconditionalOptions how{power, max_parents, std::move(log_prior), options.coldness};
  const nb::gil_scoped_release unlocked;
  return score.with(
      [&](Score& s) { return unconditional_chain(s, how, length, UndirectedLog::Means::yes, options.random()); });
}

}  // namespace

static void bind_unconditional_chain(nb::module_& m) {
  m.def("unconditional_chain", &sample_unconditional, nb::arg("score"), nb::arg("power"), nb::arg("max_parents"),
        nb::arg("log_prior"), nb::arg("options"),
        "A chain of unconditional dependence graphs from the one without edges, with the log prior weight of each "
        "number of sources.");
}

static const Part unconditional_chain_part("unconditional_chain", bind_unconditional_chain);

}  // namespace dagathlon
