#include "dagathlon/score/family_gains.hpp"
#include "dagathlon/stats/constants.hpp"

#include <limits>

namespace dagathlon {

GainsPointer FamilyGains::of(std::size_t child, ConstRow parents) {
  const std::vector<Word> key(parents.begin(), parents.end());
  if (const auto found = known_[child].find(key); found != known_[child].end()) return found->second;
  if (kept_ + score_.size() > most_kept) {
    for (auto& families : known_) families.clear();
    kept_ = 0;
  }
  kept_ += score_.size();
  const auto result = std::make_shared<const Gains>(compute(child, parents));
  known_[child].emplace(key, result);
  return result;
}

Gains FamilyGains::compute(std::size_t child, ConstRow row) {
  parents_.clear();
  for_each(row, [&](std::size_t i) { parents_.push_back(i); });
  Gains result{score_.local(child, parents_), std::vector<double>(score_.size(), minus_infinity)};
  score_.additions(child, parents_, result.of_change);
  score_.removals(child, parents_, without_);
  for (std::size_t k = 0; k < parents_.size(); ++k) result.of_change[parents_[k]] = without_[k];
  for (double& value : result.of_change) value -= result.term;
  result.of_change[child] = minus_infinity;
  evaluations_ += score_.size();
  return result;
}

}  // namespace dagathlon
