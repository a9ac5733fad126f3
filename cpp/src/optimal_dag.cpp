#include "dagathlon/optimal_dag.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

using Mask = std::uint32_t;
constexpr Mask sets_per_beat = 64;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

struct Option {
  Mask parents;
  double score;
};

std::vector<std::vector<Option>> options_of(const ParentSets& sets) {
  std::vector<std::vector<Option>> result;
  for (const auto& candidates : sets) {
    std::vector<Option>& options = result.emplace_back();
    for (const ParentSet& candidate : candidates) {
      Mask parents = 0;
      for (const std::size_t x : candidate.parents) parents |= Mask{1} << x;
      options.push_back({parents, candidate.score});
    }
  }
  return result;
}

// The place of the best option within a set of nodes.
std::size_t first_within(const std::vector<Option>& options, Mask allowed) {
  std::size_t k = 0;
  while (k < options.size() && (options[k].parents & ~allowed) != 0) ++k;
  return k;
}

struct Last {
  std::size_t node;
  std::size_t option;
  double score;
};

// The best node to stand last in a set.
Last last_of(const std::vector<std::vector<Option>>& options, const std::vector<double>& best, Mask set) {
  Last result{0, 0, minus_infinity};
  for (Mask rest = set; rest != 0; rest &= rest - 1) {
    const auto j = static_cast<std::size_t>(std::countr_zero(rest));
    const Mask others = set & ~(Mask{1} << j);
    if (best[others] == minus_infinity) continue;
    const std::size_t k = first_within(options[j], others);
    if (k == options[j].size()) continue;
    const double score = best[others] + options[j][k].score;
    if (score > result.score) result = {j, k, score};
  }
  return result;
}

}  // namespace

Choice best_by_sets(const ParentSets& sets) {
  const std::size_t n = sets.size();
  const std::vector<std::vector<Option>> options = options_of(sets);
  std::vector<double> best(std::size_t{1} << n, 0.0);
  for (Mask set = 1; set < best.size(); ++set) {
    if (set % sets_per_beat == 0) pulse::progress(set, best.size());
    best[set] = last_of(options, best, set).score;
  }
  Choice result{best.back(), std::vector<std::size_t>(n)};
  if (result.score == minus_infinity) return result;
  for (Mask set = static_cast<Mask>(best.size() - 1); set != 0;) {
    const Last last = last_of(options, best, set);
    result.of_node[last.node] = last.option;
    set &= ~(Mask{1} << last.node);
  }
  return result;
}

}  // namespace dagathlon
