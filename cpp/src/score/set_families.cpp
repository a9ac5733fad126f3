#include "dagathlon/score/set_families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

#include "dagathlon/data/every_set.hpp"
#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/score/score_team.hpp"

namespace dagathlon {

namespace {

std::size_t n_required(const SearchLimits& limits, std::size_t child) {
  std::size_t n = 0;
  for (std::size_t x = 0; x < limits.required.size(); ++x) n += limits.required.test(x, child);
  return n;
}

// More than a term from tables can differ from the term itself: sums of so many observations, each of which
// adds a few logarithms.
double rounding_of(const DiscreteData& data) {
  const auto n = static_cast<double>(data.observations());
  return 1e-12 * (1 + n) * (30 + std::log(1 + n));
}

// Terms from tables of sets.
class TableValues {
 public:
  TableValues(Score& score, const SetSums& tables, Nodes place, std::size_t child)
      : terms_(*score.by_sets()), tables_(tables), place_(place), child_(child) {}

  double margin() const { return rounding_of(terms_.data()); }
  void look_at(Nodes parents) {
    parents_ = parents;
    rank_of_parents_ = tables_.ranks.rank(parents);
    rank_of_family_ = rank_of_family();
  }
  double term() const { return terms_.term(child_, parents_, tables()); }
  double bound() const { return terms_.bound(child_, parents_, tables()); }

 private:
  SetTerms::Tables tables() const { return {tables_, rank_of_family_, rank_of_parents_, place_}; }

  std::size_t rank_of_family() const {
    const std::size_t k = parents_.size();
    std::size_t rank = tables_.ranks.start(k + 1);
    std::size_t j = 0;
    for (; j < k && parents_[j] < child_; ++j) rank += tables_.ranks.part(parents_[j], j);
    rank += tables_.ranks.part(child_, j);
    for (; j < k; ++j) rank += tables_.ranks.part(parents_[j], j + 1);
    return rank;
  }

  SetTerms& terms_;
  const SetSums& tables_;
  Nodes place_;
  std::size_t child_;
  Nodes parents_;
  std::size_t rank_of_parents_ = 0;
  std::size_t rank_of_family_ = 0;
};

// Terms that the score has for all sets at once.
class ListedValues {
 public:
  ListedValues(Score& score, std::size_t child)
      : child_(child), terms_(std::size_t{1} << (score.size() - 1)), bounds_(terms_.size()) {
    AllFamilies* fast = score.all_families();
    margin_ = fast ? fast->families_with_bounds(child, terms_, bounds_) : std::numeric_limits<double>::quiet_NaN();
  }

  double margin() const { return margin_; }
  void look_at(Nodes parents) {
    rank_ = 0;
    for (const std::size_t x : parents) rank_ |= std::size_t{1} << (x < child_ ? x : x - 1);
  }
  double term() const { return terms_[rank_]; }
  double bound() const { return bounds_[rank_]; }

 private:
  std::size_t child_;
  std::vector<double> terms_;
  std::vector<double> bounds_;
  double margin_;
  std::size_t rank_ = 0;
};

// Parent sets of one child by size, as they are grown without such values: a family is looked at if no subset
// has ruled out its supersets, and scored if by its value it may be better than all of them.
template <class Values>
class ChildFamilies {
 public:
  ChildFamilies(Score& score, const SearchLimits& limits, Values values, std::size_t child)
      : score_(score), values_(std::move(values)), child_(child), margin_(values_.margin()) {
    for (std::size_t x = 0; x < score.size(); ++x) {
      if (limits.required.test(x, child)) required_.push_back(x);
      else if (x != child && !limits.forbidden.test(x, child)) optional_.push_back(x);
    }
    most_ = std::min(limits.max_parents - required_.size(), optional_.size());
  }

  std::vector<ParentSet> grow() {
    const SetRanks ranks(optional_.size(), most_);
    ranks_ = &ranks;
    best_.assign(ranks.count(), minus_infinity);
    open_.assign(ranks.count(), 0);
    for (std::size_t size = 0; size <= most_; ++size) {
      any_open_ = false;
      visit_all(size);
      if (!any_open_) break;
    }
    // Equal scores as if smaller sets had come first and those of a size in the order of their members.
    std::ranges::sort(found_, [](const ParentSet& a, const ParentSet& b) {
      if (a.score != b.score) return a.score > b.score;
      return a.parents.size() != b.parents.size() ? a.parents.size() < b.parents.size() : a.parents < b.parents;
    });
    return std::move(found_);
  }

  std::size_t looked_at() const { return looked_at_; }

 private:
  // All sets of that size in the order of their ranks, so that tables are read from front to back.
  void visit_all(std::size_t size) {
    chosen_.resize(size);
    std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
    const std::size_t end = ranks_->start(size + 1);
    for (std::size_t rank = ranks_->start(size); rank < end; ++rank) {
      if (rank % ranks_per_beat == 0) pulse::beat();
      visit(rank);
      std::size_t k = 0;
      for (; k + 1 < size && chosen_[k] + 1 == chosen_[k + 1]; ++k) chosen_[k] = k;
      if (size > 0) ++chosen_[k];
    }
  }

  // The best of the subsets, if none of them has ruled out this set.
  bool subsets_open(double& best) const {
    const std::size_t k = chosen_.size();
    std::size_t rank = k == 0 ? 0 : ranks_->start(k - 1);
    for (std::size_t j = 1; j < k; ++j) rank += ranks_->part(chosen_[j], j - 1);
    for (std::size_t skip = 0; skip < k; ++skip) {
      if (open_[rank] == 0) return false;
      best = std::max(best, best_[rank]);
      if (skip + 1 < k) rank += ranks_->part(chosen_[skip], skip) - ranks_->part(chosen_[skip + 1], skip);
    }
    return true;
  }

  void visit(std::size_t rank) {
    double best = minus_infinity;
    if (!subsets_open(best)) return;
    ++looked_at_;
    parents_.assign(required_.begin(), required_.end());
    for (const std::size_t x : chosen_) parents_.push_back(optional_[x]);
    if (!required_.empty()) std::ranges::sort(parents_);
    values_.look_at(parents_);
    if (chosen_.empty() || values_.term() > best - margin_) {
      const double value = score_.local(child_, parents_);
      if (value > best || chosen_.empty()) found_.push_back({value, parents_});
      best = std::max(best, value);
    }
    best_[rank] = best;
    if (chosen_.size() == most_ || values_.bound() <= best) return;
    open_[rank] = 1;
    any_open_ = true;
  }

  static constexpr std::size_t ranks_per_beat = 16;

  Score& score_;
  Values values_;
  std::size_t child_;
  double margin_;
  std::vector<std::size_t> required_;
  std::vector<std::size_t> optional_;
  std::size_t most_ = 0;
  const SetRanks* ranks_ = nullptr;
  // By rank among the sets of optional parents: the best of a set and its subsets, and whether supersets
  // may be better.
  std::vector<double> best_;
  std::vector<char> open_;
  bool any_open_ = false;
  std::vector<std::size_t> chosen_;
  std::vector<std::size_t> parents_;
  std::vector<ParentSet> found_;
  std::size_t looked_at_ = 0;
};

// The families of all children, with the values that make(child, score) gives; several threads share the children.
template <class Make>
Enumeration all_children(Score& score, const SearchLimits& limits, Make&& make) {
  Enumeration result;
  result.sets.resize(score.size());
  std::vector<std::size_t> looked_at(score.size());
  ScoreTeam team(score, score.size());
  team.each(score.size(), [&](std::size_t child, Score& own) {
    pulse::progress(child, score.size());
    ChildFamilies families(own, limits, make(child, own), child);
    result.sets[child] = families.grow();
    looked_at[child] = families.looked_at();
  });
  result.scored = std::accumulate(looked_at.begin(), looked_at.end(), std::size_t{0});
  return result;
}

bool required_too_many(const Score& score, const SearchLimits& limits) {
  for (std::size_t child = 0; child < score.size(); ++child)
    if (n_required(limits, child) > limits.max_parents) return true;
  return false;
}

// Whether a set has far more cells than there are rows, on average.
bool mostly_empty(const DiscreteData& data, std::size_t largest) {
  const SetAmounts found = amounts_of(data, largest);
  return found.cells > found.sets * std::max(512.0, 2.0 * static_cast<double>(data.rows()));
}

// A pass over so many sets takes no time that matters.
bool few_sets(const Score& score, const SearchLimits& limits) {
  constexpr std::size_t few = 2'000'000;
  return SetRanks(score.size(), largest_family(limits)).count() <= few;
}

// Where bounds rule out more of the largest families than this leaves, scoring the others one by one is faster
// than counting all sets: a family takes about twenty times as long as one from tables.
constexpr double least_open_share = 0.05;

// The share of parent sets with one parent less than allowed whose supersets may be better, from a few of
// them for each child.
double open_share(Score& score, const SearchLimits& limits) {
  constexpr std::size_t sets_per_child = 4;
  std::mt19937 generator(1);
  std::size_t open = 0, looked_at = 0;
  for (std::size_t child = 0; child < score.size(); ++child) {
    std::vector<std::size_t> possible;
    for (std::size_t x = 0; x < score.size(); ++x)
      if (x != child && !limits.forbidden.test(x, child)) possible.push_back(x);
    if (limits.max_parents == 0 || possible.size() < limits.max_parents) continue;
    const double alone = score.local(child, {});
    for (std::size_t k = 0; k < sets_per_child; ++k) {
      // Not std::shuffle, whose result the standard leaves open.
      for (std::size_t i = 0; i + 1 < limits.max_parents; ++i)
        std::swap(possible[i], possible[i + generator() % (possible.size() - i)]);
      std::vector<std::size_t> parents(possible.begin(),
                                       possible.begin() + static_cast<std::ptrdiff_t>(limits.max_parents - 1));
      std::ranges::sort(parents);
      ++looked_at;
      open += score.bound_above(child, parents) > std::max(alone, score.local(child, parents));
    }
  }
  return looked_at == 0 ? 0.0 : static_cast<double>(open) / static_cast<double>(looked_at);
}

std::vector<std::size_t> places_of(std::span<const CellSum> wanted, std::span<const CellSum> there) {
  std::vector<std::size_t> result;
  for (const CellSum& sum : wanted) {
    const auto found = std::ranges::find(there, sum);
    if (found == there.end()) throw std::invalid_argument("the tables lack a sum that the score needs");
    result.push_back(static_cast<std::size_t>(found - there.begin()));
  }
  return result;
}

}  // namespace

std::size_t largest_family(const SearchLimits& limits) {
  const std::size_t n = limits.forbidden.size();
  std::size_t most = 0;
  for (std::size_t child = 0; child < n; ++child) {
    std::size_t possible = 0;
    for (std::size_t x = 0; x < n; ++x) possible += x != child && !limits.forbidden.test(x, child);
    most = std::max(most, std::min(possible, limits.max_parents));
  }
  return std::min(most + 1, n);
}

SetPass set_pass(Score& score, const SearchLimits& limits) {
  SetTerms* terms = score.by_sets();
  if (terms == nullptr || required_too_many(score, limits)) return SetPass::none;
  const std::size_t n_sums = terms->sums().size();
  const bool small = sums_fit(SetPass::small_sets, score, limits, n_sums);
  const bool every = sums_fit(SetPass::every_set, score, limits, n_sums);
  if (every && (!small || mostly_empty(terms->data(), largest_family(limits)))) return SetPass::every_set;
  if (!small) return SetPass::none;
  return few_sets(score, limits) || open_share(score, limits) > least_open_share ? SetPass::small_sets : SetPass::none;
}

bool sums_fit(SetPass pass, Score& score, const SearchLimits& limits, std::size_t n_sums) {
  if (pass == SetPass::small_sets) return sets_can_be_counted(score.by_sets()->data(), largest_family(limits), n_sums);
  return score.size() <= max_columns_of_every_set && n_sums <= most_sums_at_once;
}

SetSums count_for(SetPass pass, const DiscreteData& data, std::size_t largest, std::vector<CellSum> sums) {
  if (pass == SetPass::every_set) return count_every_set(data, largest, std::move(sums));
  return count_sets(data, largest, std::move(sums));
}

Enumeration families_by_sets(Score& score, const SearchLimits& limits, const SetSums& tables) {
  const std::vector<std::size_t> place = places_of(score.by_sets()->sums(), tables.sums);
  if (tables.ranks.items() != score.size() || tables.ranks.largest() < largest_family(limits))
    throw std::invalid_argument("the tables are of other data or of smaller sets");
  return all_children(score, limits,
                      [&](std::size_t child, Score& own) { return TableValues(own, tables, place, child); });
}

std::optional<Enumeration> families_by_lists(Score& score, const SearchLimits& limits) {
  constexpr std::size_t most_nodes = 22;
  const std::size_t n = score.size();
  if (n < 2 || n > most_nodes || required_too_many(score, limits)) return std::nullopt;
  // Where few parents are allowed most of the lists would be for nothing.
  if (SetRanks(n - 1, largest_family(limits) - 1).count() < (std::size_t{1} << (n - 1)) / 4) return std::nullopt;
  if (!(ListedValues(score, 0).margin() >= 0)) return std::nullopt;
  return all_children(score, limits, [](std::size_t child, Score& own) { return ListedValues(own, child); });
}

}  // namespace dagathlon
