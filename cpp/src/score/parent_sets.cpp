#include "dagathlon/score/parent_sets.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "dagathlon/run/pulse.hpp"
#include "dagathlon/score/score_team.hpp"
#include "dagathlon/score/set_families.hpp"

namespace dagathlon {

namespace {

using Members = std::vector<std::size_t>;

std::u32string key_of(Nodes members) { return {members.begin(), members.end()}; }

// Parent sets of one child by size: what is known of those of the size before decides which are scored.
class Growth {
 public:
  Growth(Score& score, const SearchLimits& limits, std::size_t child, bool prune)
      : score_(score), child_(child), prune_(prune), required_(list_of(limits.required, child)) {
    for (std::size_t x = 0; x < score.size(); ++x)
      if (x != child && !limits.forbidden.test(x, child) && !std::ranges::binary_search(required_, x))
        optional_.push_back(x);
    most_ = limits.max_parents > required_.size() ? limits.max_parents - required_.size() : 0;
  }

  std::vector<ParentSet> grow() {
    visit({}, -std::numeric_limits<double>::infinity());
    for (std::size_t size = 0; size < std::min(most_, optional_.size()) && !next_.empty(); ++size) {
      open_ = std::exchange(next_, {});
      for (const auto& [members, best] : open_) extend(Members(members.begin(), members.end()));
    }
    std::ranges::stable_sort(found_, std::greater{}, &ParentSet::score);
    return std::move(found_);
  }

  std::size_t scored() const { return scored_; }

 private:
  static Members list_of(const BitMatrix& arcs, std::size_t child) {
    Members result;
    for (std::size_t x = 0; x < arcs.size(); ++x)
      if (arcs.test(x, child)) result.push_back(x);
    return result;
  }

  void extend(Members members) {
    for (const std::size_t x : optional_) {
      if (!members.empty() && x <= members.back()) continue;
      members.push_back(x);
      double best = -std::numeric_limits<double>::infinity();
      if (subsets_open(members, best)) visit(members, best);
      members.pop_back();
    }
  }

  // A set is worth scoring only if no subset has ruled out its supersets.
  bool subsets_open(const Members& members, double& best) const {
    std::u32string without;
    for (std::size_t skip = 0; skip < members.size(); ++skip) {
      without.clear();
      for (std::size_t k = 0; k < members.size(); ++k)
        if (k != skip) without.push_back(static_cast<char32_t>(members[k]));
      const auto found = open_.find(without);
      if (found == open_.end()) return false;
      best = std::max(best, found->second);
    }
    return true;
  }

  void visit(const Members& members, double best_subset) {
    pulse::beat();
    Members parents = required_;
    parents.insert(parents.end(), members.begin(), members.end());
    std::ranges::sort(parents);
    const double value = score_.local(child_, parents);
    ++scored_;
    if (!prune_ || value > best_subset || members.empty()) found_.push_back({value, parents});
    const double best = std::max(value, best_subset);
    if (members.size() >= most_) return;
    if (prune_ && score_.bound_above(child_, parents) <= best) return;
    next_.emplace(key_of(members), best);
  }

  Score& score_;
  std::size_t child_;
  bool prune_;
  Members required_;
  Members optional_;
  std::size_t most_ = 0;
  std::size_t scored_ = 0;
  // In the order of their members, so that results do not depend on a hash.
  std::map<std::u32string, double> open_;
  std::map<std::u32string, double> next_;
  std::vector<ParentSet> found_;
};

}  // namespace

Enumeration enumerate_parent_sets(Score& score, const SearchLimits& limits, bool prune) {
  if (const SetPass pass = set_pass(score, limits); prune && pass != SetPass::none) {
    SetTerms& terms = *score.by_sets();
    return families_by_sets(score, limits, count_for(pass, terms.data(), largest_family(limits), terms.sums()));
  }
  if (prune)
    if (std::optional<Enumeration> found = families_by_lists(score, limits)) return std::move(*found);
  Enumeration result;
  result.sets.resize(score.size());
  std::vector<std::size_t> scored(score.size());
  ScoreTeam team(score, score.size());
  team.each(score.size(), [&](std::size_t child, Score& own) {
    pulse::progress(child, score.size());
    Growth growth(own, limits, child, prune);
    result.sets[child] = growth.grow();
    scored[child] = growth.scored();
  });
  result.scored = std::accumulate(scored.begin(), scored.end(), std::size_t{0});
  return result;
}

std::vector<std::vector<std::size_t>> components(const ParentSets& sets) {
  const std::size_t n = sets.size();
  BitMatrix reaches(n);
  for (std::size_t child = 0; child < n; ++child)
    for (const ParentSet& set : sets[child])
      for (const std::size_t x : set.parents) reaches.set(x, child);
  for (std::size_t middle = 0; middle < n; ++middle)
    for (std::size_t x = 0; x < n; ++x)
      if (reaches.test(x, middle)) unite(reaches[x], reaches[middle]);
  std::vector<std::vector<std::size_t>> result;
  std::vector<bool> placed(n);
  for (std::size_t x = 0; x < n; ++x) {
    if (placed[x]) continue;
    result.push_back({x});
    for (std::size_t y = x + 1; y < n; ++y) {
      if (placed[y] || !reaches.test(x, y) || !reaches.test(y, x)) continue;
      result.back().push_back(y);
      placed[y] = true;
    }
  }
  return result;
}

void keep_undominated(std::vector<ParentSet>& candidates) {
  std::ranges::stable_sort(candidates, [](const ParentSet& a, const ParentSet& b) {
    return a.score > b.score || (a.score == b.score && a.parents.size() < b.parents.size());
  });
  std::vector<ParentSet> kept;
  for (ParentSet& candidate : candidates) {
    pulse::beat(kept.size());
    const bool dominated = std::ranges::any_of(
        kept, [&](const ParentSet& better) { return std::ranges::includes(candidate.parents, better.parents); });
    if (!dominated) kept.push_back(std::move(candidate));
  }
  candidates = std::move(kept);
}

}  // namespace dagathlon
