#include <algorithm>
#include <bit>

#include "dagathlon/exact/dag_posterior.hpp"
#include "dagathlon/stats/power_of_two.hpp"

namespace dagathlon {

// As `steps_from`, with one of the parents of each new node in `from` but not in `outer`.
void DagPosterior::inner_steps_from(Mask from, Mask outer, Steps& steps) const {
  steps.factor.resize(std::size_t{1} << (n_ - static_cast<std::size_t>(std::popcount(from))));
  steps.power.resize(steps.factor.size());
  steps.reached.resize(steps.factor.size());
  steps.factor[0] = -1.0;
  steps.power[0] = best_[from];
  steps.reached[0] = from;
  std::size_t known = 1;
  for (std::size_t j = 0; j < n_; ++j) {
    if ((from >> j) & 1U) continue;
    const std::size_t all = place(j, from);
    const std::size_t few = place(j, outer);
    const double sum = -std::max(sums_[all] - sums_[few] * power_of_two(powers_[few] - powers_[all]), 0.0);
    for (std::size_t t = 0; t < known; ++t) {
      steps.factor[known + t] = steps.factor[t] * sum;
      steps.power[known + t] = steps.power[t] + powers_[all];
      steps.reached[known + t] = steps.reached[t] | (Mask{1} << j);
    }
    known *= 2;
  }
}

// A node s has the descendants D (s among them) in these DAGs: those on the other nodes O, with s and
// its parents in O, and then D built up from s, each node with a parent in D and any in O. What is built
// up from any first part of D to all of it is the same for all s, so one backward sweep over the parts of
// each D is enough: 4^d steps in all.
std::vector<double> DagPosterior::paths() const {
  std::vector<double> result(n_ * n_, 0.0);
  std::vector<double> completed(std::size_t{1} << n_, 0.0);
  const Mask all = everything();
  completed[all] = 1.0;
  Steps steps;
  for (Mask inner = all; inner != 0; --inner) {
    const Mask outer = all & ~inner;
    if (std::popcount(inner) < 2 || partition_[outer] == 0.0) continue;
    for (Mask part = (inner - 1) & inner; part != 0; part = (part - 1) & inner) {
      inner_steps_from(part | outer, outer, steps);
      double total = 0;
      for (std::size_t t = 1; t < steps.factor.size(); ++t) {
        const Mask to = steps.reached[t];
        total += steps.factor[t] * power_of_two(steps.power[t] - best_[to]) * completed[to];
      }
      completed[part | outer] = total;
    }
    for (Mask sources = inner; sources != 0; sources &= sources - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(sources));
      const Mask begun = outer | (Mask{1} << s);
      const double scale = power_of_two(best_[outer] + powers_[place(s, outer)] - best_[begun]);
      const double share = partition_[outer] * sums_[place(s, outer)] * scale * completed[begun] / partition_[all];
      for (Mask ends = inner & ~(Mask{1} << s); ends != 0; ends &= ends - 1)
        result[s * n_ + static_cast<std::size_t>(std::countr_zero(ends))] += share;
    }
  }
  for (double& p : result) p = std::clamp(p, 0.0, 1.0);
  return result;
}

}  // namespace dagathlon
