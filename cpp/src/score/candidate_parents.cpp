#include "dagathlon/score/candidate_parents.hpp"

#include <algorithm>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

class Choice {
 public:
  Choice(Score& score, std::size_t child)
      : score_(score), child_(child), found_(score.size()), mass_(score.size(), minus_infinity) {
    look(0);
  }

  const std::vector<std::size_t>& chosen() const { return chosen_; }
  double mass(std::size_t node) const { return mass_[node]; }

  // The subsets with the new member are looked at; those without it have been.
  void add(std::size_t node, bool last) {
    const std::size_t half = std::size_t{1} << chosen_.size();
    chosen_.push_back(node);
    if (last) return;
    for (std::size_t set = half; set < 2 * half; ++set) look(set);
  }

 private:
  // Adds the weights of a subset of the chosen ones with each other node.
  void look(std::size_t set) {
    pulse::beat(found_.size());
    std::vector<std::size_t> parents;
    for (std::size_t k = 0; k < chosen_.size(); ++k)
      if (set >> k & 1U) parents.push_back(chosen_[k]);
    std::ranges::sort(parents);
    std::ranges::fill(found_, minus_infinity);
    score_.additions(child_, parents, found_);
    for (std::size_t x = 0; x < found_.size(); ++x) mass_[x] = log_add(mass_[x], found_[x]);
  }

  Score& score_;
  std::size_t child_;
  std::vector<double> found_;
  std::vector<double> mass_;
  std::vector<std::size_t> chosen_;
};

}  // namespace

std::vector<std::size_t> candidate_parents(Score& score, std::size_t child, std::span<const std::size_t> possible,
                                           std::span<const std::size_t> required, std::size_t count) {
  Choice choice(score, child);
  for (const std::size_t node : required) choice.add(node, false);
  std::vector<std::size_t> left(possible.begin(), possible.end());
  std::erase_if(left, [&](std::size_t node) { return std::ranges::count(required, node) > 0; });
  while (choice.chosen().size() < count && !left.empty()) {
    const auto best = std::ranges::max_element(left, {}, [&](std::size_t node) { return choice.mass(node); });
    const std::size_t node = *best;
    left.erase(best);
    choice.add(node, choice.chosen().size() + 1 == count);
  }
  std::vector<std::size_t> result = choice.chosen();
  std::ranges::sort(result);
  return result;
}

}  // namespace dagathlon
