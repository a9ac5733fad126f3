#include "dagathlon/order/scored_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// How many nodes several threads look at together that they have not seen. To find their places grows the trees; once
// that is done it takes little to find them again, after one of the nodes has moved.
std::size_t many_ahead(std::size_t threads) { return threads > 1 ? 8 * threads : 1; }

}  // namespace

ScoredOrder::ScoredOrder(Score& score, const SearchLimits& limits)
    : limits_(limits),
      required_into_(score.size()),
      place_(score.size()),
      before_(score.size()),
      found_(score.size(), no_node),
      ends_(score.size()),
      terms_(score.size()),
      scores_{&score},
      team_(allowed_threads() > 1 && score.twin() ? score.size() : 1),
      turns_(team_.size() > 1 ? score.size() : 0) {
  const std::size_t n = score.size();
  while (scores_.size() < team_.size()) scores_.push_back(twins_.emplace_back(score.twin()).get());
  for (std::size_t child = 0; child < n; ++child) {
    BitSet allowed(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (limits.required.test(i, child)) required_into_.set(child, i);
      if (i != child && !limits.forbidden.test(i, child)) allowed.set(i);
    }
    trees_.emplace_back(score, child, required_into_[child], allowed, limits.max_parents);
  }
}

// Trees are many small pieces: to give them back takes several threads a part of what it takes one.
ScoredOrder::~ScoredOrder() {
  if (team_.size() == 1) return;
  try {
    team_.each(size(), [this](std::size_t node, std::size_t) { trees_[node].forget(); });
  } catch (...) {
    // Whoever is interrupted here gives back the rest alone.
  }
}

void ScoredOrder::set(std::vector<std::size_t> order) {
  order_.clear();
  BitSet taken(size());
  while (order_.size() < size()) {
    // The first that waits for nobody: required arcs have no cycle, so there is one.
    const auto next =
        std::ranges::find_if(order, [&](std::size_t node) { return is_subset(required_into_[node], taken); });
    taken.set(*next);
    order_.push_back(*next);
    order.erase(next);
  }
  stand_in_order(0, size());
  team_.each(size(), [this](std::size_t k, std::size_t member) { settle(order_[k], member); });
  add_up();
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
  for (std::size_t k = first; k < last; ++k) changed = settle(order_[k], 0) || changed;
  if (changed) add_up();
}

bool ScoredOrder::settle(std::size_t node, std::size_t member) {
  pulse::beat();
  trees_[node].ask(*scores_[member]);
  const std::size_t found = trees_[node].find(before_[node], found_[node]);
  if (found == found_[node]) return false;
  found_[node] = found;
  ends_[node] = &trees_[node].end(found);
  terms_[node] = ends_[node]->score;
  return true;
}

void ScoredOrder::add_up() {
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
    ends_[node] = &trees_[node].end(found_[node]);
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

const GrowShrinkTree::Shrunk& ScoredOrder::answer(std::size_t node, ConstRow before, std::size_t member) {
  std::unique_lock<std::mutex> turn;
  if (!turns_.empty()) turn = std::unique_lock(turns_[node]);
  GrowShrinkTree& tree = trees_[node];
  tree.ask(*scores_[member]);
  return tree.end(tree.find(before, no_node));
}

std::size_t ScoredOrder::best_place(std::size_t node, std::size_t member) {
  const std::size_t here = place_[node];
  const auto [first, last] = range(node);
  // totals[k]: the node stands before the k-th of the others. Those before it do without it, the rest may have it.
  std::vector<double> totals(size());
  std::vector<double> with(size());
  BitSet earlier(size());
  double without = 0;
  const GrowShrinkTree::Shrunk* own = &answer(node, earlier, member);
  for (std::size_t k = 0; k < size(); ++k) {
    pulse::beat();
    totals[k] = without + own->score;
    if (k + 1 == size()) break;
    // What stands before another node is what it was but for the one that moves.
    const std::size_t other = order_[k < here ? k : k + 1];
    const bool is_before = k >= here;
    without += is_before && ends_[other]->chosen.test(node) ? answer(other, earlier, member).score : terms_[other];
    with[k] = terms_[other];
    if (!is_before && ends_[other]->missed.test(node)) {
      earlier.set(node);
      with[k] = answer(other, earlier, member).score;
      earlier.reset(node);
    }
    earlier.set(other);
    if (own->missed.test(other)) own = &answer(node, earlier, member);
  }
  double rest = 0;
  for (std::size_t k = size() - 1; k-- > 0;) {
    rest += with[k];
    totals[k] += rest;
  }
  std::size_t best = here;
  const double least = least_gain();
  for (std::size_t k = first; k <= last; ++k)
    if (totals[k] > totals[best] + least) best = k;
  return best;
}

double ScoredOrder::least_gain() const {
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(size()) * std::abs(score_);
  return std::max(tie_tolerance, rounding);
}

bool ScoredOrder::move(std::size_t node, std::size_t to) {
  const std::size_t from = place_[node];
  const auto [first, last] = std::minmax(from, to);
  const Stretch old = between(order_[first], order_[last]);
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(from));
  order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(to), node);
  update(first, last + 1);
  if (score_ > old.score) return true;
  put_back(old);
  return false;
}

std::optional<std::size_t> ScoredOrder::move_first(Nodes nodes) {
  std::vector<std::size_t> best;
  std::size_t known = looked_ahead_;
  for (std::size_t from = 0; from < nodes.size(); from += best.size()) {
    const std::size_t ahead = from < known ? std::min(team_.size(), known - from) : many_ahead(team_.size());
    best.resize(std::min(ahead, nodes.size() - from));
    known = std::max(known, from + best.size());
    team_.each(best.size(), [&](std::size_t k, std::size_t member) { best[k] = best_place(nodes[from + k], member); });
    for (std::size_t k = 0; k < best.size(); ++k) {
      if (best[k] == place_[nodes[from + k]] || !move(nodes[from + k], best[k])) continue;
      looked_ahead_ = known - (from + k + 1);
      return from + k;
    }
  }
  looked_ahead_ = 0;
  return std::nullopt;
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
