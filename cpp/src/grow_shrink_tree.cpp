#include "dagathlon/grow_shrink_tree.hpp"

#include <algorithm>
#include <utility>

namespace dagathlon {

GrowShrinkTree::GrowShrinkTree(Score& score, std::size_t child, ConstRow required, ConstRow allowed,
                               std::size_t max_parents)
    : score_(score),
      child_(child),
      required_(score.size(), required),
      allowed_(score.size(), allowed),
      max_parents_(max_parents),
      scores_(score.size()) {
  Place root{};
  for_each(required_, [&](std::size_t i) { root.parents.push_back(i); });
  root.score = score.local(child, root.parents);
  places_.push_back(std::move(root));
}

const GrowShrinkTree::Shrunk& GrowShrinkTree::shrunk(ConstRow before) {
  std::size_t place = 0;
  while (true) {
    if (!places_[place].grown) grow(place);
    std::size_t next = no_node;
    for (std::size_t k = 0; k < places_[place].branches.size(); ++k) {
      const Branch branch = places_[place].branches[k];
      if (!test(before, branch.candidate)) continue;
      next = branch.leads_to;
      if (next == no_node) {
        next = places_.size();
        Place made{};
        made.score = branch.score;
        made.parents = places_[place].parents;
        made.parents.insert(std::ranges::lower_bound(made.parents, branch.candidate), branch.candidate);
        places_.push_back(std::move(made));
        places_[place].branches[k].leads_to = next;
      }
      break;
    }
    if (next == no_node) break;
    place = next;
  }
  if (places_[place].shrunk == no_node) shrink(place);
  return shrunk_[places_[place].shrunk];
}

void GrowShrinkTree::grow(std::size_t place) {
  Place& here = places_[place];
  here.grown = true;
  if (here.parents.size() >= max_parents_) return;
  score_.additions(child_, here.parents, scores_);
  BitSet candidates = allowed_;
  for (const std::size_t i : here.parents) candidates.reset(i);
  for_each(candidates, [&](std::size_t x) {
    if (scores_[x] > here.score) here.branches.push_back({x, scores_[x], no_node});
  });
  std::ranges::stable_sort(here.branches, std::greater<>(), &Branch::score);
}

void GrowShrinkTree::shrink(std::size_t place) {
  Shrunk found{places_[place].score, places_[place].parents};
  while (!found.parents.empty()) {
    score_.removals(child_, found.parents, scores_);
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
