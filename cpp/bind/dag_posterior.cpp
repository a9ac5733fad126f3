#include "dagathlon/exact/dag_posterior.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "bind.hpp"
#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/run/pulse.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

using Posterior = DagPosterior;

void check_count(std::size_t n) {
  if (n == 0 || n > Posterior::max_nodes) throw nb::value_error("an exact posterior is for 1 to 24 nodes");
}

// Scores of all families within the limits, minus infinity for the others.
std::vector<double> family_scores(Score& score, const SearchLimits& limits) {
  const std::size_t n = score.size();
  const std::size_t half = (std::size_t{1} << n) / 2;
  std::vector<double> result(n * half, -std::numeric_limits<double>::infinity());
  // Where few families are allowed it is faster to score these alone.
  const bool at_once = limits.max_parents + 1 >= n;
  NodeList parents;
  for (std::size_t j = 0; j < n; ++j) {
    pulse::progress(j * half, n * half);
    const std::span<double> own(result.data() + j * half, half);
    if (at_once) score.families(j, own);
    Mask required = 0;
    Mask allowed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (limits.required.test(i, j)) required |= Mask{1} << i;
      if (i != j && !limits.forbidden.test(i, j)) allowed |= Mask{1} << i;
    }
    for (Mask rank = 0; rank < half; ++rank) {
      if (rank % 64 == 0) pulse::progress(j * half + rank, n * half);
      const Mask set = stretch(rank, j);
      const bool inside = (set & ~allowed) == 0 && (required & ~set) == 0 &&
                          static_cast<std::size_t>(std::popcount(set)) <= limits.max_parents;
      if (!inside) {
        own[rank] = -std::numeric_limits<double>::infinity();
      } else if (!at_once) {
        parents.clear();
        for (Mask rest = set; rest != 0; rest &= rest - 1)
          parents.push_back(static_cast<std::size_t>(std::countr_zero(rest)));
        own[rank] = score.local(j, parents);
      }
    }
  }
  return result;
}

NumpyMatrix<double> marginals(const Posterior& posterior, std::vector<double> (Posterior::*sums)() const) {
  std::vector<double> values;
  {
    const nb::gil_scoped_release free;
    values = (posterior.*sums)();
  }
  return to_numpy(std::move(values), posterior.size(), posterior.size());
}

}  // namespace

static void bind_dag_posterior(nb::module_& m) {
  nb::enum_<Modularity>(m, "Modularity").value("structure", Modularity::structure).value("order", Modularity::order);
  nb::class_<Posterior>(m, "DagPosterior", "Sums over all DAGs of few nodes.")
      .def_static(
          "of_score",
          [](BoundScore& score, const SearchLimits& limits, Modularity modularity) {
            check_count(score.size());
            if (limits.forbidden.size() != score.size()) throw nb::value_error("limits and data of different size");
            std::vector<double> weights = score.with_plain([&](Score& s) { return family_scores(s, limits); });
            return Posterior(score.size(), std::move(weights), modularity);
          },
          nb::arg("score"), nb::arg("limits"), nb::arg("modularity"), ReleaseGil())
      .def_static(
          "of_weights",
          [](const Matrix<const double>& log_weights, Modularity modularity) {
            const std::size_t n = log_weights.shape(0);
            check_count(n);
            if (log_weights.shape(1) != (std::size_t{1} << n) / 2)
              throw nb::value_error("one log weight for each set of other nodes");
            const double* first = log_weights.data();
            std::vector<double> weights(first, first + log_weights.size());
            for (const double w : weights)
              if (std::isnan(w) || w == std::numeric_limits<double>::infinity())
                throw nb::value_error("a log weight is a number or minus infinity");
            const nb::gil_scoped_release free;
            return Posterior(n, std::move(weights), modularity);
          },
          nb::arg("log_weights"), nb::arg("modularity"))
      .def("__len__", &Posterior::size)
      .def("log_partition", &Posterior::log_partition)
      .def("edges", [](const Posterior& self) { return marginals(self, &Posterior::edges); })
      .def("paths", [](const Posterior& self) { return marginals(self, &Posterior::paths); })
      .def(
          "families",
          [](const Posterior& self, std::size_t child) {
            check_node(child, self.size());
            return self.families(child);
          },
          nb::arg("child"), ReleaseGil())
      .def("mean_log_weight", &Posterior::mean_log_weight, ReleaseGil())
      .def("log_weights",
           [](const Posterior& self) {
             std::vector<double> values = self.log_weights();
             return to_numpy(std::move(values), self.size(), (std::size_t{1} << self.size()) / 2);
           })
      .def("best", &Posterior::best, ReleaseGil())
      .def(
          "sample",
          [](const Posterior& self, std::size_t count, std::uint64_t seed) {
            std::vector<Mask> result;
            {
              const nb::gil_scoped_release free;
              for (std::size_t k = 0; k < count; ++k) {
                pulse::progress(k, count);
                Stream stream(seed, k);
                const std::vector<Mask> drawn = self.sample(stream);
                result.insert(result.end(), drawn.begin(), drawn.end());
              }
            }
            return to_numpy(std::move(result), count, self.size());
          },
          nb::arg("count"), nb::arg("seed"));
}

static const Part dag_posterior_part("dag_posterior", bind_dag_posterior);

}  // namespace dagathlon
