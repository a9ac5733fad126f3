// Independent draws from the posterior over DAGs.
//
// A DAG is drawn layer by layer: first its roots, then the nodes whose parents are among those placed and
// not all in earlier layers, and so on. The weight of a layer is a Moebius transform of the derivatives
// of the partition function, so that no table over pairs of sets is needed.
#include <algorithm>
#include <bit>
#include <cmath>

#include "dagathlon/exact/dag_posterior.hpp"
#include "dagathlon/stats/power_of_two.hpp"

namespace dagathlon {

namespace {

// An index drawn by weights; those below 0 are rounding errors of 0.
std::size_t draw(std::span<const double> weights, Stream& stream) {
  double total = 0;
  for (const double w : weights) total += std::max(w, 0.0);
  double rest = stream.uniform() * total;
  std::size_t last = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (!(weights[k] > 0)) continue;
    last = k;
    rest -= weights[k];
    if (rest < 0) break;
  }
  return last;
}

}  // namespace

std::vector<Mask> DagPosterior::sample(Stream& stream) const {
  return modularity_ == Modularity::structure ? sample_layers(stream) : sample_order(stream);
}

// For each set of nodes outside `placed`, by rank: the weight of the DAGs in which exactly these have
// all their parents in `placed`.
std::vector<double> DagPosterior::next_layers(Mask placed) const {
  Steps steps;
  steps_from(placed, 1.0, steps);
  for (std::size_t t = 0; t < steps.factor.size(); ++t) {
    const Mask to = steps.reached[t];
    steps.factor[t] = std::abs(steps.factor[t]) * power_of_two(steps.power[t] - best_[to]) * adjoint_[to];
  }
  for (std::size_t bit = 1; bit < steps.factor.size(); bit <<= 1)
    for (std::size_t t = 0; t < steps.factor.size(); ++t)
      if (!(t & bit)) steps.factor[t] -= steps.factor[t | bit];
  steps.factor[0] = 0;
  return std::move(steps.factor);
}

std::vector<Mask> DagPosterior::sample_layers(Stream& stream) const {
  std::vector<Mask> parents(n_);
  Mask earlier = 0;
  Mask layer = 0;
  while ((earlier | layer) != everything()) {
    const Mask placed = earlier | layer;
    std::vector<double> weights = placed == 0 ? first_layers_ : next_layers(placed);
    std::vector<std::size_t> outside;
    for (std::size_t j = 0; j < n_; ++j) {
      if ((placed >> j) & 1U) continue;
      const std::size_t bit = std::size_t{1} << outside.size();
      outside.push_back(j);
      if (layer == 0) continue;
      // Only parent sets that meet the last layer.
      const std::size_t all = place(j, placed);
      const std::size_t old = place(j, earlier);
      const double share = sums_[all] > 0 ? sums_[old] / sums_[all] * power_of_two(powers_[old] - powers_[all]) : 1.0;
      for (std::size_t t = 0; t < weights.size(); ++t)
        if (t & bit) weights[t] *= 1.0 - share;
    }
    const std::size_t chosen = draw(weights, stream);
    Mask next = 0;
    for (std::size_t k = 0; k < outside.size(); ++k) {
      if (!((chosen >> k) & 1U)) continue;
      next |= Mask{1} << outside[k];
      parents[outside[k]] = sample_parents(outside[k], placed, layer, stream);
    }
    earlier = placed;
    layer = next;
  }
  return parents;
}

std::vector<Mask> DagPosterior::sample_order(Stream& stream) const {
  std::vector<Mask> parents(n_);
  std::vector<double> weights(n_);
  for (Mask set = everything(); set != 0;) {
    for (std::size_t j = 0; j < n_; ++j) {
      weights[j] = 0;
      if (!((set >> j) & 1U)) continue;
      const Mask others = set & ~(Mask{1} << j);
      const std::size_t here = place(j, others);
      weights[j] = partition_[others] * sums_[here] * power_of_two(best_[others] + powers_[here] - best_[set]);
    }
    const std::size_t j = draw(weights, stream);
    set &= ~(Mask{1} << j);
    parents[j] = sample_parents(j, set, 0, stream);
  }
  return parents;
}

// A parent set within `from`; with `required_one_of`, one that meets it.
Mask DagPosterior::sample_parents(std::size_t node, Mask from, Mask required_one_of, Stream& stream) const {
  std::vector<double> weights;
  std::vector<Mask> sets;
  const std::int32_t power = powers_[place(node, from)];
  for (Mask set = from;; set = (set - 1) & from) {
    if (required_one_of == 0 || (set & required_one_of) != 0) {
      sets.push_back(set);
      weights.push_back(weight(node, set, power));
    }
    if (set == 0) break;
  }
  return sets[draw(weights, stream)];
}

}  // namespace dagathlon
