#include "dagathlon/exact/optimal_dag.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

using Mask = std::uint32_t;
constexpr Mask sets_per_beat = 64;

// The places of a node's best options within sets of nodes. Among few nodes they are there for all sets, which
// is one step for each set and member; among more there would be too many.
class BestOption {
 public:
  BestOption(const std::vector<ParentSet>& candidates, std::size_t node, std::size_t nodes) : node_(node) {
    for (const ParentSet& candidate : candidates) {
      Mask parents = 0;
      for (const std::size_t x : candidate.parents) parents |= Mask{1} << x;
      parents_.push_back(parents);
      scores_.push_back(candidate.score);
    }
    if (nodes <= max_listed_nodes) list_all(nodes - 1);
  }

  // The place of the best option within a set of other nodes; size() if there is none.
  std::size_t within(Mask allowed) const {
    if (!of_set_.empty()) return of_set_[without_node(allowed)];
    std::size_t k = 0;
    while (k < parents_.size() && (parents_[k] & ~allowed) != 0) ++k;
    return k;
  }

  std::size_t size() const { return parents_.size(); }
  double score(std::size_t k) const { return scores_[k]; }

 private:
  static constexpr std::size_t max_listed_nodes = 22;

  Mask without_node(Mask set) const {
    const Mask low = (Mask{1} << node_) - 1;
    return (set & low) | (set >> 1 & ~low);
  }

  void list_all(std::size_t others) {
    of_set_.assign(std::size_t{1} << others, static_cast<std::uint32_t>(size()));
    for (std::size_t k = size(); k-- > 0;) of_set_[without_node(parents_[k])] = static_cast<std::uint32_t>(k);
    for (std::size_t bit = 1; bit < of_set_.size(); bit *= 2) {
      pulse::beat(of_set_.size());
      for (std::size_t start = bit; start < of_set_.size(); start += 2 * bit)
        for (std::size_t set = start; set < start + bit; ++set)
          of_set_[set] = std::min(of_set_[set], of_set_[set - bit]);
    }
  }

  std::size_t node_;
  std::vector<Mask> parents_;
  std::vector<double> scores_;
  std::vector<std::uint32_t> of_set_;
};

struct Last {
  std::size_t node;
  std::size_t option;
  double score;
};

// The best node to stand last in a set.
Last last_of(const std::vector<BestOption>& options, const std::vector<double>& best, Mask set) {
  Last result{0, 0, minus_infinity};
  for (Mask rest = set; rest != 0; rest &= rest - 1) {
    const auto j = static_cast<std::size_t>(std::countr_zero(rest));
    const Mask others = set & ~(Mask{1} << j);
    if (best[others] == minus_infinity) continue;
    const std::size_t k = options[j].within(others);
    if (k == options[j].size()) continue;
    const double score = best[others] + options[j].score(k);
    if (score > result.score) result = {j, k, score};
  }
  return result;
}

}  // namespace

Choice best_by_sets(const ParentSets& sets) {
  const std::size_t n = sets.size();
  std::vector<BestOption> options;
  for (std::size_t j = 0; j < n; ++j) options.emplace_back(sets[j], j, n);
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
