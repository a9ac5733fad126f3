#include "dagathlon/scored_order.hpp"

#include <algorithm>
#include <utility>

#include "dagathlon/pulse.hpp"

namespace dagathlon {

ScoredOrder::ScoredOrder(Score& score, const SearchLimits& limits)
    : limits_(limits), required_into_(score.size()), place_(score.size()), before_(score.size()), found_(score.size(), no_node), terms_(score.size()) {
  const std::size_t n = score.size();
  for (std::size_t child = 0; child < n; ++child) {
    BitSet allowed(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (limits.required.test(i, child)) required_into_.set(child, i);
      if (i != child && !limits.forbidden.test(i, child)) allowed.set(i);
    }
    trees_.emplace_back(score, child, required_into_[child], allowed, limits.max_parents);
  }
}

void ScoredOrder::set(std::vector<std::size_t> order) {
  order_.clear();
  BitSet taken(size());
  while (order_.size() < size()) {
    // The first that waits for nobody: required arcs have no cycle, so there is one.
    const auto next = std::ranges::find_if(order, [&](std::size_t node) { return is_subset(required_into_[node], taken); });
    taken.set(*next);
    order_.push_back(*next);
    order.erase(next);
  }
  update(0, size());
}

MarkedGraph ScoredOrder::dag() const {
  MarkedGraph result(size());
  for (const std::size_t node : order_)
    for (const std::size_t parent : parents(node)) result.set_directed(parent, node);
  return result;
}

void ScoredOrder::stand_in_order(std::size_t first, std::size_t last) {
  for (std::size_t k = first; k < last; ++k) {
    const Row earlier = before_[order_[k]];
    place_[order_[k]] = k;
    if (k == 0) {
      std::ranges::fill(earlier, Word{0});
      continue;
    }
    std::ranges::copy(before_[order_[k - 1]], earlier.begin());
    dagathlon::set(earlier, order_[k - 1]);
  }
}

void ScoredOrder::update(std::size_t first, std::size_t last) {
  stand_in_order(first, last);
  bool changed = false;
  for (std::size_t k = first; k < last; ++k) {
    const std::size_t node = order_[k];
    pulse::beat();
    const std::size_t found = trees_[node].find(before_[node], found_[node]);
    if (found == found_[node]) continue;
    found_[node] = found;
    terms_[node] = trees_[node].score(found);
    changed = true;
  }
  if (!changed) return;
  score_ = 0;
  for (const double term : terms_) score_ += term;
}

ScoredOrder::Stretch ScoredOrder::between(std::size_t x, std::size_t y) const {
  Stretch result{place_[x], {}, {}, score_};
  for (std::size_t k = place_[x]; k <= place_[y]; ++k) {
    result.nodes.push_back(order_[k]);
    result.found.push_back(found_[order_[k]]);
  }
  return result;
}

void ScoredOrder::put_back(const Stretch& stretch) {
  for (std::size_t k = 0; k < stretch.nodes.size(); ++k) {
    const std::size_t node = stretch.nodes[k];
    order_[stretch.first + k] = node;
    found_[node] = stretch.found[k];
    terms_[node] = trees_[node].score(found_[node]);
  }
  stand_in_order(stretch.first, stretch.first + stretch.nodes.size());
  score_ = stretch.score;
}

std::pair<std::size_t, std::size_t> ScoredOrder::range(std::size_t node) const {
  std::size_t first = 0;
  std::size_t last = size() - 1;
  for_each(required_into_[node], [&](std::size_t i) { first = std::max(first, place_[i] + 1); });
  for_each(limits_.required[node], [&](std::size_t i) { last = std::min(last, place_[i] - 1); });
  return {first, last};
}

bool ScoredOrder::move_to_best_place(std::size_t node) {
  const std::size_t here = place_[node];
  const auto [first, last] = range(node);
  std::vector<std::size_t> others = order_;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(here));
  // totals[k]: the node stands before others[k]. Those before it do without it, the rest may have it.
  std::vector<double> totals(size());
  std::vector<double> with(size());
  BitSet earlier(size());
  double without = 0;
  std::size_t own = trees_[node].find(earlier, found_[node]);
  for (std::size_t k = 0; k < size(); ++k) {
    pulse::beat();
    totals[k] = without + trees_[node].score(own);
    if (k == others.size()) break;
    // What stands before another node is what it was but for the one that moves.
    GrowShrinkTree& tree = trees_[others[k]];
    const std::size_t found = found_[others[k]];
    const bool is_before = k >= here;
    without += is_before && tree.needs(found, node) ? tree.score(tree.find(earlier, no_node)) : terms_[others[k]];
    earlier.set(node);
    with[k] = !is_before && tree.wants(found, node) ? tree.score(tree.find(earlier, no_node)) : terms_[others[k]];
    earlier.reset(node);
    earlier.set(others[k]);
    if (trees_[node].wants(own, others[k])) own = trees_[node].find(earlier, no_node);
  }
  double rest = 0;
  for (std::size_t k = others.size(); k-- > 0;) {
    rest += with[k];
    totals[k] += rest;
  }
  std::size_t best = here;
  for (std::size_t k = first; k <= last; ++k)
    if (totals[k] > totals[best] + tie_tolerance) best = k;
  if (best == here) return false;
  others.insert(others.begin() + static_cast<std::ptrdiff_t>(best), node);
  order_ = std::move(others);
  update(std::min(here, best), std::max(here, best) + 1);
  return true;
}

void ScoredOrder::tuck(std::size_t x, std::size_t y, ConstRow above) {
  const std::size_t from = place_[x];
  const std::size_t to = place_[y] + 1;
  const auto begin = order_.begin();
  std::stable_partition(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
                        [&](std::size_t node) { return test(above, node); });
  update(from, to);
}

}  // namespace dagathlon
