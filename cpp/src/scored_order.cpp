#include "dagathlon/scored_order.hpp"

#include <algorithm>
#include <utility>

namespace dagathlon {

ScoredOrder::ScoredOrder(Score& score, const SearchLimits& limits)
    : limits_(limits), required_into_(score.size()), place_(score.size()), terms_(score.size()) {
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
  BitSet taken(order.size());
  while (order_.size() < order.size()) {
    // The first that waits for nobody: required arcs have no cycle, so there is one.
    for (const std::size_t node : order) {
      if (taken.test(node) || !is_subset(required_into_[node], taken)) continue;
      taken.set(node);
      order_.push_back(node);
      break;
    }
  }
  update(0, size());
}

double ScoredOrder::score() const {
  double sum = 0;
  for (const double term : terms_) sum += term;
  return sum;
}

BitSet ScoredOrder::before(std::size_t place) const {
  BitSet result(size());
  for (std::size_t k = 0; k < place; ++k) result.set(order_[k]);
  return result;
}

const std::vector<std::size_t>& ScoredOrder::parents(std::size_t node) {
  return trees_[node].parents(before(place_[node]));
}

MarkedGraph ScoredOrder::dag() {
  MarkedGraph result(size());
  BitSet earlier(size());
  for (const std::size_t node : order_) {
    for (const std::size_t parent : trees_[node].parents(earlier)) result.set_directed(parent, node);
    earlier.set(node);
  }
  return result;
}

void ScoredOrder::update(std::size_t first, std::size_t last) {
  BitSet earlier = before(first);
  for (std::size_t k = first; k < last; ++k) {
    place_[order_[k]] = k;
    terms_[order_[k]] = trees_[order_[k]].score(earlier);
    earlier.set(order_[k]);
  }
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
  for (std::size_t k = 0; k < size(); ++k) {
    totals[k] = without + trees_[node].score(earlier);
    if (k == others.size()) break;
    without += trees_[others[k]].score(earlier);
    earlier.set(node);
    with[k] = trees_[others[k]].score(earlier);
    earlier.reset(node);
    earlier.set(others[k]);
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

bool ScoredOrder::keeps_required_arcs() const {
  BitSet earlier(size());
  for (const std::size_t node : order_) {
    if (!is_subset(required_into_[node], earlier)) return false;
    earlier.set(node);
  }
  return true;
}

BitSet ScoredOrder::ancestors_behind(std::size_t x, std::size_t y) {
  BitSet above(size());
  above.set(y);
  for (std::size_t k = place_[y] + 1; k-- > place_[x] + 1;)
    if (above.test(order_[k]))
      for (const std::size_t parent : parents(order_[k])) above.set(parent);
  BitSet behind(size());
  for (std::size_t k = place_[x] + 1; k <= place_[y]; ++k) behind.set(order_[k]);
  intersect(above, behind);
  return above;
}

bool ScoredOrder::is_singular(std::size_t x, std::size_t y) {
  bool only_path = true;
  for_each(ancestors_behind(x, y), [&](std::size_t node) {
    only_path = only_path && (node == y || !std::ranges::binary_search(parents(node), x));
  });
  return only_path;
}

bool ScoredOrder::tuck(std::size_t x, std::size_t y) {
  const std::size_t from = place_[x];
  const std::size_t to = place_[y] + 1;
  const BitSet above = ancestors_behind(x, y);
  const auto begin = order_.begin();
  std::stable_partition(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
                        [&](std::size_t node) { return above.test(node); });
  update(from, to);
  return keeps_required_arcs();
}

}  // namespace dagathlon
