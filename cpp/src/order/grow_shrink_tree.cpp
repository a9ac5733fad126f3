#include "dagathlon/order/grow_shrink_tree.hpp"

#include <algorithm>
#include <utility>

namespace dagathlon {

GrowShrinkTree::GrowShrinkTree(Score& score, std::size_t child, ConstRow required, ConstRow allowed,
                               std::size_t max_parents)
    : score_(&score),
      child_(child),
      required_(score.size(), required),
      allowed_(score.size(), allowed),
      max_parents_(max_parents),
      scores_(score.size()) {
  Place root{.score = 0, .parents = {}};
  for_each(required_, [&](std::size_t i) { root.parents.push_back(i); });
  root.score = score.local(child, root.parents);
  places_.push_back(std::move(root));
}

bool GrowShrinkTree::ends_at(std::size_t place, ConstRow before) const {
  const Place& there = places_[place];
  if (there.shrunk == no_node) return false;
  const Shrunk& end = shrunk_[there.shrunk];
  return is_subset(end.chosen, before) && !intersects(end.missed, before);
}

std::size_t GrowShrinkTree::find(ConstRow before, std::size_t guess) {
  if (guess != no_node && ends_at(guess, before)) return guess;
  std::size_t place = 0;
  for (std::size_t further = next(place, before); further != no_node; further = next(place, before)) place = further;
  if (places_[place].shrunk == no_node) shrink(place);
  return place;
}

// The place to which the best candidate at hand leads; `no_node` where growing ends.
std::size_t GrowShrinkTree::next(std::size_t place, ConstRow before) {
  if (!places_[place].grown) grow(place);
  const std::vector<Branch>& branches = places_[place].branches;
  for (std::size_t k = 0; k < branches.size(); ++k)
    if (test(before, branches[k].candidate))
      return branches[k].leads_to != nowhere ? branches[k].leads_to : follow(place, k);
  return no_node;
}

std::size_t GrowShrinkTree::follow(std::size_t place, std::size_t branch) {
  const Branch& taken = places_[place].branches[branch];
  Place made{.score = taken.score, .parents = places_[place].parents, .from = place, .branch = branch};
  made.parents.insert(std::ranges::lower_bound(made.parents, taken.candidate), taken.candidate);
  const std::size_t result = places_.size();
  places_[place].branches[branch].leads_to = static_cast<std::uint32_t>(result);
  places_.push_back(std::move(made));
  return result;
}

void GrowShrinkTree::grow(std::size_t place) {
  Place& here = places_[place];
  const bool full = here.parents.size() >= max_parents_;
  // Scoring may be interrupted: only what is complete counts as grown.
  if (!full) score_->additions(child_, here.parents, scores_);
  here.grown = true;
  if (full) return;
  BitSet candidates = allowed_;
  for (const std::size_t i : here.parents) candidates.reset(i);
  for_each(candidates, [&](std::size_t x) {
    if (scores_[x] > here.score) here.branches.push_back({static_cast<std::uint32_t>(x), nowhere, scores_[x]});
  });
  here.branches.shrink_to_fit();
  std::ranges::stable_sort(here.branches, std::greater<>(), &Branch::score);
}

BitSet GrowShrinkTree::chosen(std::size_t place) const {
  BitSet result(scores_.size());
  for (const std::size_t i : places_[place].parents)
    if (!required_.test(i)) result.set(i);
  return result;
}

// The candidates that would have been taken before those that lead to a place, and those there.
BitSet GrowShrinkTree::missed(std::size_t place) const {
  BitSet result(scores_.size());
  for (const Branch& branch : places_[place].branches) result.set(branch.candidate);
  for (std::size_t i = place; places_[i].from != no_node; i = places_[i].from)
    for (std::size_t k = 0; k < places_[i].branch; ++k) result.set(places_[places_[i].from].branches[k].candidate);
  return result;
}

void GrowShrinkTree::shrink(std::size_t place) {
  Shrunk found{places_[place].score, places_[place].parents, chosen(place), missed(place)};
  while (!found.parents.empty()) {
    score_->removals(child_, found.parents, scores_);
    std::size_t best = no_node;
    double score = found.score;
    for (std::size_t k = 0; k < found.parents.size(); ++k) {
      if (required_.test(found.parents[k]) || !(scores_[k] > score)) continue;
      best = k;
      score = scores_[k];
    }
    if (best == no_node) break;
    found.parents.erase(found.parents.begin() + static_cast<std::ptrdiff_t>(best));
    found.score = score;
  }
  places_[place].shrunk = shrunk_.size();
  shrunk_.push_back(std::move(found));
}

}  // namespace dagathlon
