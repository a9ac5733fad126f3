#include "dagathlon/score/score.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

void Score::additions(std::size_t child, Nodes parents, std::span<double> scores) {
  family_.assign(parents.begin(), parents.end());
  family_.push_back(0);
  for (std::size_t x = 0; x < size(); ++x) {
    if (x == child || std::ranges::binary_search(parents, x)) continue;
    const auto place = std::ranges::lower_bound(parents, x) - parents.begin();
    std::ranges::copy(parents.begin() + place, parents.end(), family_.begin() + place + 1);
    std::ranges::copy(parents.begin(), parents.begin() + place, family_.begin());
    family_[static_cast<std::size_t>(place)] = x;
    scores[x] = local(child, family_);
  }
}

void Score::removals(std::size_t child, Nodes parents, std::span<double> scores) {
  for (std::size_t k = 0; k < parents.size(); ++k) {
    family_.assign(parents.begin(), parents.end());
    family_.erase(family_.begin() + static_cast<std::ptrdiff_t>(k));
    scores[k] = local(child, family_);
  }
}

void Score::families(std::size_t child, std::span<double> scores) {
  if (AllFamilies* fast = all_families()) return fast->families(child, scores);
  std::vector<std::size_t> parents;
  for (std::size_t rank = 0; rank < scores.size(); ++rank) {
    if (rank % 16 == 0) pulse::beat();
    parents.clear();
    for (std::size_t rest = rank; rest != 0; rest &= rest - 1) {
      const auto other = static_cast<std::size_t>(std::countr_zero(rest));
      parents.push_back(other < child ? other : other + 1);
    }
    scores[rank] = local(child, parents);
  }
}

double Score::bound_above(std::size_t, Nodes) { return std::numeric_limits<double>::infinity(); }

double total(Score& score, const MarkedGraph& dag) {
  double sum = 0;
  std::vector<std::size_t> parents;
  for (std::size_t child = 0; child < dag.size(); ++child) {
    parents.clear();
    for_each(dag.parents(child), [&](std::size_t parent) { parents.push_back(parent); });
    sum += score.local(child, parents);
  }
  return sum;
}

}  // namespace dagathlon
