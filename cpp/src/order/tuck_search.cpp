#include "dagathlon/order/tuck_search.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

TuckSearch::TuckSearch(ScoredOrder& order, const TuckRules& rules)
    : order_(order),
      n_(order.order().size()),
      rules_(rules),
      found_(n_, no_node),
      parents_(n_),
      needed_(n_),
      wanted_by_(n_),
      terms_(n_),
      sums_(n_),
      parts_(rules.depth + 1, {BitSet(n_), BitSet(n_), {}}),
      gaining_(n_),
      before_(n_) {
  for (std::size_t node = 0; node < n_; ++node) {
    has_required_ = has_required_ || any(order.required_into(node));
    look_at(node);
  }
  sum_terms();
}

bool TuckSearch::improve() {
  start_ = order_.score();
  least_gain_ = order_.least_gain();
  double size = 0;
  for (const double term : terms_) size += std::abs(term);
  slack_ = 8 * least_gain_ + 8 * std::numeric_limits<double>::epsilon() * static_cast<double>(n_) * size;
  return search(1);
}

bool TuckSearch::search(std::size_t depth) {
  for (std::size_t y = 0; y < n_; ++y) {
    // Trees may grow meanwhile, but what they found once stays where it is.
    const std::span<const std::size_t> parents = parents_[y];
    for (const std::size_t x : parents) {
      const bool covered = is_covered(x, y);
      if (depth > rules_.uncovered_depth && !covered) continue;
      part(x, y, parts_[depth]);
      if (depth > rules_.nonsingular_depth && !covered && !is_singular(x, y, parts_[depth])) continue;
      if (try_tuck(x, y, depth)) return true;
    }
  }
  return false;
}

bool TuckSearch::try_tuck(std::size_t x, std::size_t y, std::size_t depth) {
  pulse::beat();
  const Parts& parts = parts_[depth];
  if (has_required_ && !keeps_required_arcs(parts)) return false;
  const std::optional<double> now = score_after(parts);
  if (!now) return false;
  const bool better = *now > start_ + least_gain_;
  if (!better && !(*now > start_ - least_gain_ && depth < rules_.depth)) return false;
  const ScoredOrder::Stretch saved = order_.between(x, y);
  move(x, y, parts);
  if (better || search(depth + 1)) return true;
  move_back(saved);
  return false;
}

// Whether the parents of y are x and those of x.
bool TuckSearch::is_covered(std::size_t x, std::size_t y) const {
  return parents_[y].size() == parents_[x].size() + 1 && std::ranges::includes(parents_[y], parents_[x]);
}

bool TuckSearch::is_singular(std::size_t x, std::size_t y, const Parts& parts) const {
  return std::ranges::none_of(
      parts.above_list, [&](std::size_t node) { return node != y && std::ranges::binary_search(parents_[node], x); });
}

void TuckSearch::part(std::size_t x, std::size_t y, Parts& parts) const {
  for (const std::size_t node : parts.above_list) parts.above.reset(node);
  parts.above_list.assign(1, y);
  parts.above.set(y);
  for (std::size_t k = 0; k < parts.above_list.size(); ++k)
    for (const std::size_t parent : parents_[parts.above_list[k]]) {
      if (order_.place(parent) <= order_.place(x) || parts.above.test(parent)) continue;
      parts.above.set(parent);
      parts.above_list.push_back(parent);
    }
  const ConstRow to_y = order_.before(y), to_x = order_.before(x), above = parts.above;
  const Row others = parts.others;
  for (std::size_t k = 0; k < others.size(); ++k) others[k] = to_y[k] & ~to_x[k] & ~above[k];
}

bool TuckSearch::keeps_required_arcs(const Parts& parts) const {
  return std::ranges::none_of(parts.above_list,
                              [&](std::size_t node) { return intersects(order_.required_into(node), parts.others); });
}

std::optional<double> TuckSearch::score_after(const Parts& parts) {
  find_changes(parts);
  if (changes_.empty()) return order_.score();
  double gain = 0;
  for (const auto& [node, term] : changes_) gain += term - terms_[node];
  if (gain < -slack_) return std::nullopt;
  return exact_score();
}

// Those above y lose the others, which may have to do with their parents; the others get those above.
void TuckSearch::find_changes(const Parts& parts) {
  changes_.clear();
  gaining_.clear();
  for (const std::size_t node : parts.above_list) {
    unite(gaining_, wanted_by_[node]);
    if (!intersects(needed_[node], parts.others)) continue;
    std::ranges::copy(order_.before(node), before_.row().begin());
    subtract(before_, parts.others);
    find_change(node);
  }
  intersect(gaining_, parts.others);
  for_each(gaining_, [&](std::size_t node) {
    std::ranges::copy(order_.before(node), before_.row().begin());
    unite(before_, parts.above);
    find_change(node);
  });
}

void TuckSearch::find_change(std::size_t node) {
  GrowShrinkTree& tree = order_.tree(node);
  changes_.emplace_back(node, tree.score(tree.find(before_, no_node)));
}

// The sum of all terms, in the order in which a move would add them up.
double TuckSearch::exact_score() {
  std::size_t first = n_;
  for (auto& [node, term] : changes_) {
    std::swap(terms_[node], term);
    first = std::min(first, node);
  }
  double sum = sums_[first];
  for (std::size_t node = first; node < n_; ++node) sum += terms_[node];
  for (auto& [node, term] : changes_) std::swap(terms_[node], term);
  return sum;
}

void TuckSearch::move(std::size_t x, std::size_t y, const Parts& parts) {
  const std::size_t first = order_.place(x), last = order_.place(y);
  order_.tuck(x, y, parts.above);
  for (std::size_t k = first; k <= last; ++k) look_at(order_.order()[k]);
  sum_terms();
}

void TuckSearch::move_back(const ScoredOrder::Stretch& stretch) {
  order_.put_back(stretch);
  for (const std::size_t node : stretch.nodes) look_at(node);
  sum_terms();
}

void TuckSearch::look_at(std::size_t node) {
  const std::size_t found = order_.found(node);
  if (found == found_[node]) return;
  const GrowShrinkTree& tree = order_.tree(node);
  if (found_[node] != no_node) for_each(tree.wanted(found_[node]), [&](std::size_t i) { wanted_by_.reset(i, node); });
  for_each(tree.wanted(found), [&](std::size_t i) { wanted_by_.set(i, node); });
  found_[node] = found;
  parents_[node] = tree.parents(found);
  needed_[node] = tree.needed(found);
  terms_[node] = order_.term(node);
}

void TuckSearch::sum_terms() {
  double sum = 0;
  for (std::size_t node = 0; node < n_; ++node) {
    sums_[node] = sum;
    sum += terms_[node];
  }
}

}  // namespace dagathlon
