#include "dagathlon/mcmc/free_sets.hpp"

#include <algorithm>
#include <numeric>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

FreeSets::FreeSets(Score& score, std::size_t child, const Space& space, double power) : power_(power) {
  if (space.largest < 2 || score.size() > max_nodes) return;
  const auto keeps = [&](const std::vector<std::size_t>& members) {
    return std::ranges::all_of(space.required, [&](std::size_t x) { return std::ranges::count(members, x) > 0; });
  };
  std::vector<double> pairs(score.size()), triples(score.size());
  for (const std::size_t a : space.extras) {
    const std::size_t alone[] = {a};
    score.additions(child, alone, pairs);
    for (const std::size_t b : space.extras) {
      if (b <= a) continue;
      pulse::beat(score.size());
      if (keeps({a, b})) add({a, b}, pairs[b]);
      if (space.largest < 3) continue;
      const std::size_t both[] = {a, b};
      score.additions(child, both, triples);
      for (const std::size_t c : space.extras)
        if (c > b && keeps({a, b, c})) add({a, b, c}, triples[c]);
      for (const std::size_t c : space.candidates)
        if (keeps({a, b, c})) add({a, b, c}, triples[c]);
    }
  }
  sort();
}

void FreeSets::add(const std::vector<std::size_t>& members, double score) {
  if (score == minus_infinity) return;
  scores_.push_back(score);
  members_.push_back(bits_of(members));
}

void FreeSets::sort() {
  std::vector<std::size_t> order(scores_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return scores_[k]; });
  std::vector<double> scores;
  std::vector<Members> members;
  for (const std::size_t k : order) {
    places_.emplace(members_[k], scores.size());
    scores.push_back(scores_[k]);
    members.push_back(members_[k]);
  }
  scores_ = std::move(scores);
  members_ = std::move(members);
  for (const double score : scores_) weights_.push_back(std::exp(power_ * (score - scores_.front())));
  left_ = weights_;
  for (std::size_t k = left_.size(); k-- > 1;) left_[k - 1] += left_[k];
}

FreeSets::Members FreeSets::bits_of(std::span<const std::size_t> members) {
  Members result{};
  for (const std::size_t node : members) set(result, node);
  return result;
}

std::vector<std::size_t> FreeSets::members(std::size_t item) const {
  std::vector<std::size_t> result;
  for_each(members_[item], [&](std::size_t node) { result.push_back(node); });
  return result;
}

std::size_t FreeSets::find(std::span<const std::size_t> members) const {
  if (empty()) return none;
  const auto place = places_.find(bits_of(members));
  return place == places_.end() ? none : place->second;
}

}  // namespace dagathlon
