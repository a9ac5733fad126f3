#include "dagathlon/undirected/unconditional_chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace dagathlon {

SourceSets::SourceSets(std::size_t n) : sets_(n), used_(n) {
  std::iota(used_.begin(), used_.end(), std::size_t{0});
  for (std::size_t node = 0; node < n; ++node) sets_.set(node, node);
}

std::size_t SourceSets::free_number() const {
  BitSet taken(size());
  for (const std::size_t source : used_) taken.set(source);
  std::size_t number = 0;
  while (taken.test(number)) ++number;
  return number;
}

bool SourceSets::assign(const std::vector<std::size_t>& nodes, const std::vector<BitSet>& sets) {
  const BitMatrix before = sets_;
  for (std::size_t k = 0; k < nodes.size(); ++k) std::ranges::copy(sets[k].row(), sets_[nodes[k]].begin());
  BitSet named(size()), own(size());
  bool none_empty = true;
  for (std::size_t node = 0; node < size(); ++node) {
    const std::size_t members = count(sets_[node]);
    none_empty = none_empty && members > 0;
    unite(named, sets_[node]);
    if (members == 1) unite(own, sets_[node]);
  }
  if (!none_empty || named != own) {
    sets_ = before;
    return false;
  }
  used_.clear();
  for_each(named, [&](std::size_t source) { used_.push_back(source); });
  return true;
}

namespace {

double log_factorial(std::size_t n) { return std::lgamma(static_cast<double>(n) + 1); }
double log_choose(std::size_t n, std::size_t k) { return log_factorial(n) - log_factorial(k) - log_factorial(n - k); }

// What becomes of a node of a source that is split: it has the first part, the second, or both.
enum Side : std::size_t { first_side, second_side, both_sides };

// A random split of m nodes: how many have each side is uniform over all numbers that leave the first two at
// least `least`, and then which ones.
std::vector<Side> draw_sides(std::size_t m, std::size_t least, Stream& random) {
  // Numbers that sum to m - 2·least, as two bars among stars.
  const std::size_t places = m - 2 * least + 2;
  std::size_t low = random.below(places), high = random.below(places - 1);
  if (high >= low) ++high;
  else std::swap(low, high);
  const std::size_t firsts = low + least, seconds = high - low - 1 + least;
  std::vector<Side> sides(m, both_sides);
  std::fill_n(sides.begin(), firsts, first_side);
  std::fill_n(sides.begin() + static_cast<std::ptrdiff_t>(firsts), seconds, second_side);
  random.shuffle(std::span<Side>(sides));
  return sides;
}

// The log probability of a draw in which so many nodes have each side.
double log_sides(const std::array<std::size_t, 3>& numbers, std::size_t least) {
  const std::size_t m = numbers[0] + numbers[1] + numbers[2];
  double result = -log_choose(m - 2 * least + 2, 2) - log_factorial(m);
  for (const std::size_t number : numbers) result += log_factorial(number);
  return result;
}

class UnconditionalState {
 public:
  UnconditionalState(Score& score, const UnconditionalOptions& options)
      : score_(&score),
        options_(&options),
        sets_(score.size()),
        graph_(score.size()),
        families_(parents()),
        terms_(score.size()) {
    for (std::size_t node = 0; node < sets_.size(); ++node) terms_[node] = term(node, families_);
  }

  // The log weight: the score and the prior of the number of sources.
  double value() const { return options_->power * std::accumulate(terms_.begin(), terms_.end(), 0.0) + prior(); }

  // Row i holds the nodes adjacent to i.
  const BitMatrix& graph() const { return graph_; }

  void step(double coldness, Stream& random) {
    if (sets_.size() < 2) return;
    coldness_ = coldness;
    before_ = sets_;
    // Out of the fibre twice as often as within it, as both directions are one proposal here.
    const std::size_t kind = random.below(6);
    const double ratio = kind < 2    ? turn(random)
                         : kind == 2 ? swap_source(random)
                         : kind == 3 ? exchange(random)
                         : kind == 4 ? merge(random)
                                     : split(random);
    if (ratio == impossible || !settle(ratio, random)) sets_ = before_;
    else graph_ = joined();
  }

 private:
  static constexpr double impossible = -std::numeric_limits<double>::infinity();

  double prior() const { return sets_.size() ? options_->log_prior[sets_.n_sources() - 1] : 0.0; }

  double assigned(const std::vector<std::size_t>& nodes, const std::vector<BitSet>& sets, double ratio) {
    return sets_.assign(nodes, sets) ? ratio : impossible;
  }

  BitSet copy(std::size_t node) const { return BitSet(sets_.size(), sets_.of(node)); }
  std::size_t any_source(Stream& random) const { return sets_.sources()[random.below(sets_.n_sources())]; }

  // Makes a node a descendant of a source, or no longer one.
  double turn(Stream& random) {
    const std::size_t node = random.below(sets_.size()), source = any_source(random);
    BitSet set = copy(node);
    if (set.test(source)) set.reset(source);
    else set.set(source);
    return assigned({node}, {set}, 0.0);
  }

  // Gives a node one source in place of another, which others must have too: no source may go unnoticed.
  double swap_source(Stream& random) {
    const std::size_t node = random.below(sets_.size());
    const std::size_t old = any_source(random), fresh = any_source(random);
    BitSet set = copy(node);
    if (!set.test(old) || set.test(fresh)) return impossible;
    set.reset(old);
    set.set(fresh);
    const double ratio = assigned({node}, {set}, 0.0);
    return sets_.n_sources() == before_.n_sources() ? ratio : impossible;
  }

  // Deals out the sources that only one of two nodes has: what both have together stays as it is, which is the
  // quadratic move of a Gröbner basis.
  double exchange(Stream& random) {
    const std::size_t n = sets_.size();
    const std::size_t one = random.below(n), next = random.below(n - 1), other = next + (next >= one);
    BitSet mine = copy(one), theirs = copy(other);
    for (const std::size_t source : sets_.sources()) {
      if (mine.test(source) == theirs.test(source)) continue;
      const bool to_mine = random.below(2) == 0;
      mine.reset(source);
      theirs.reset(source);
      (to_mine ? mine : theirs).set(source);
    }
    return assigned({one, other}, {mine, theirs}, 0.0);
  }

  // Nodes of a source: with no other source, and with others.
  struct Members {
    std::vector<std::size_t> own;
    std::vector<std::size_t> shared;
  };
  Members members(std::size_t source) const {
    Members found;
    for (std::size_t node = 0; node < sets_.size(); ++node)
      if (test(sets_.of(node), source)) (count(sets_.of(node)) == 1 ? found.own : found.shared).push_back(node);
    return found;
  }

  // Makes one source of two.
  double merge(Stream& random) {
    const std::size_t k = sets_.n_sources();
    if (k < 2) return impossible;
    const std::size_t a = random.below(k), next = random.below(k - 1);
    const std::size_t kept = sets_.sources()[a], gone = sets_.sources()[next + (next >= a)];
    std::array<std::size_t, 3> own{}, shared{};
    std::vector<std::size_t> nodes;
    std::vector<BitSet> sets;
    for (std::size_t node = 0; node < sets_.size(); ++node) {
      const bool first = test(sets_.of(node), kept), second = test(sets_.of(node), gone);
      if (!first && !second) continue;
      const Side side = first && second ? both_sides : first ? first_side : second_side;
      BitSet set = copy(node);
      set.reset(gone);
      set.set(kept);
      ++(count(set) == 1 ? own : shared)[side];
      nodes.push_back(node);
      sets.push_back(std::move(set));
    }
    return assigned(nodes, sets, log_split(k - 1, own, shared) - log_merge(k));
  }

  // Makes two sources of one that several nodes have for themselves.
  double split(Stream& random) {
    const std::size_t k = sets_.n_sources(), source = any_source(random);
    const Members all = members(source);
    if (all.own.size() < 2) return impossible;
    const std::size_t fresh = sets_.free_number();
    std::array<std::size_t, 3> own{}, shared{};
    std::vector<std::size_t> nodes;
    std::vector<BitSet> sets;
    const auto deal = [&](const std::vector<std::size_t>& group, std::size_t least, auto& numbers) {
      const std::vector<Side> sides = draw_sides(group.size(), least, random);
      for (std::size_t m = 0; m < group.size(); ++m) {
        ++numbers[sides[m]];
        BitSet set = copy(group[m]);
        if (sides[m] == second_side) set.reset(source);
        if (sides[m] != first_side) set.set(fresh);
        nodes.push_back(group[m]);
        sets.push_back(std::move(set));
      }
    };
    deal(all.own, 1, own);
    deal(all.shared, 0, shared);
    return assigned(nodes, sets, log_merge(k + 1) - log_split(k, own, shared));
  }

  // The log probability to merge a pair among k sources, and to split one of k so; either part may be called
  // the first one.
  static double log_merge(std::size_t k) { return -log_choose(k, 2); }
  static double log_split(std::size_t k, const std::array<std::size_t, 3>& own,
                          const std::array<std::size_t, 3>& shared) {
    return std::log(2.0) - std::log(static_cast<double>(k)) + log_sides(own, 1) + log_sides(shared, 0);
  }

  // Whether the sets that were proposed stay, for the log ratio of the proposals there and back.
  bool settle(double ratio, Stream& random) {
    BitMatrix fresh = parents();
    changed_.clear();
    double gain = 0;
    for (std::size_t node = 0; node < sets_.size(); ++node) {
      if (std::ranges::equal(fresh[node], families_[node])) continue;
      changed_.emplace_back(node, term(node, fresh));
      gain += changed_.back().second - terms_[node];
    }
    const double old_prior = options_->log_prior[before_.n_sources() - 1];
    const double gained = options_->power * gain + prior() - old_prior;
    if (!(std::log(random.uniform()) < coldness_ * gained + ratio)) return false;
    families_ = std::move(fresh);
    for (const auto& [node, value] : changed_) terms_[node] = value;
    return true;
  }

  // The largest DAG: row w holds the parents of w. Among nodes with one set earlier ones come first.
  BitMatrix parents() const {
    BitMatrix result(sets_.size());
    for (std::size_t v = 0; v < sets_.size(); ++v)
      for (std::size_t w = v + 1; w < sets_.size(); ++w) {
        if (is_subset(sets_.of(v), sets_.of(w))) result.set(w, v);
        else if (is_subset(sets_.of(w), sets_.of(v))) result.set(v, w);
      }
    return result;
  }

  BitMatrix joined() const {
    BitMatrix result(sets_.size());
    for (std::size_t v = 0; v < sets_.size(); ++v)
      for (std::size_t w = v + 1; w < sets_.size(); ++w)
        if (intersects(sets_.of(v), sets_.of(w))) {
          result.set(v, w);
          result.set(w, v);
        }
    return result;
  }

  double term(std::size_t node, const BitMatrix& families) {
    family_.clear();
    for_each(families[node], [&](std::size_t parent) { family_.push_back(parent); });
    return family_.size() > options_->max_parents ? impossible : score_->local(node, family_);
  }

  Score* score_;
  const UnconditionalOptions* options_;
  SourceSets sets_;
  SourceSets before_{0};
  double coldness_ = 1;
  BitMatrix graph_;
  BitMatrix families_;
  std::vector<double> terms_;
  std::vector<std::pair<std::size_t, double>> changed_;
  std::vector<std::size_t> family_;
};

}  // namespace

UndirectedLog unconditional_chain(Score& score, const UnconditionalOptions& options, const ChainLength& length,
                                  UndirectedLog::Means means, Stream random) {
  CoupledChains chains(UnconditionalState(score, options), options.coldness);
  const auto move = [&](UnconditionalState& state, double coldness) { state.step(coldness, random); };
  UndirectedLog log(score.size(), length.saved() + 1, means);
  return run_undirected(
      std::move(log), length,
      [&](std::size_t, UndirectedLog& to) {
        chains.step(move, random);
        to.become(chains.cold().graph());
      },
      [&] { return chains.cold().value(); });
}

}  // namespace dagathlon
