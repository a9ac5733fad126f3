#include "dagathlon/search/equivalence_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <utility>

#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

class Search {
 public:
  Search(Score& score, const MarkedGraph& start, const ClassSearch& how)
      : score_(score),
        how_(how),
        state_(start, how.targets, how.limits.forbidden),
        operators_(score, state_, how.limits) {}

  // Every step leads to a class of higher score, so that the class of the moment is the best so far; but
  // for the ways out of a maximum, which may lead nowhere.
  ClassSearchResult run() {
    if (!pulse::until_deadline([&] { search(); }) && maximum_ && !rises(maximum_->score, total()))
      state_.set(maximum_->state);
    return {state_.graph(), total(), steps_};
  }

 private:
  struct Maximum {
    ClassState::Saved state;
    double score;
  };

  void search() {
    operators_.find_joinable();
    if (keeps_all()) find_all();
    settle();
    if (how_.escape && can_escape())
      while (escape()) {
      }
  }

  std::size_t size() const { return state_.size(); }
  // Whether the operators of all phases are at hand at any time.
  bool keeps_all() const { return how_.together || escaping_; }
  void find_all() {
    for (const Step step : how_.phases) operators_.find(step);
  }

  double total() { return dagathlon::total(score_, state_.member()); }

  // Whether a total is really higher: gains of singular data, and of scores that differ within a class,
  // may promise a rise that is none, round and round.
  static bool rises(double from, double to) {
    if (std::isinf(from)) return to > from;
    return to - from > std::max(tie_tolerance, 1e-12 * std::abs(from));
  }

  // Goes up until the phases lead no further.
  void settle() {
    if (how_.together) return climb(how_.phases);
    double before = total();
    while (true) {
      const std::size_t steps = steps_;
      for (const Step& phase : how_.phases) {
        if (!keeps_all()) operators_.find(phase);
        climb(std::span(&phase, 1));
      }
      if (!how_.iterate || steps_ == steps) return;
      const double now = total();
      if (!rises(before, now)) return;
      before = now;
    }
  }

  // One step after another, each of the first kind that gains anything.
  void climb(std::span<const Step> kinds) {
    constexpr std::size_t steps_between_checks = 64;
    const bool may_go_round = kinds.size() > 1 || kinds[0] == Step::turn;
    double before = may_go_round ? total() : 0;
    for (std::size_t steps = 1; std::ranges::any_of(kinds, [&](Step kind) { return make_best(kind); }); ++steps) {
      if (!may_go_round || steps % steps_between_checks != 0) continue;
      const double now = total();
      if (!rises(before, now)) return;
      before = now;
    }
  }

  // Takes the operator of highest gain that is valid now, the first of equal ones; whether there is one.
  bool make_best(Step step) {
    pulse::progress(steps_);
    const std::vector<double>& highest = operators_.highest(step);
    const auto first = static_cast<std::size_t>(std::ranges::max_element(highest) - highest.begin());
    if (highest.empty() || operators_.into(step, first).empty()) return false;
    // Mostly the first one is valid; the others are put in order only where it is not.
    pulse::beat();
    const ClassOperator op = operators_.into(step, first).front();
    return take(op, how_.verify) || make_best_after(step, first);
  }

  // The same without the best one, which is the first into `tried`.
  bool make_best_after(Step step, std::size_t tried) {
    struct Place {
      double gain;
      std::size_t y;
      std::size_t number;
    };
    const auto worse = [](const Place& a, const Place& b) {
      return a.gain != b.gain ? a.gain < b.gain : std::pair(a.y, a.number) > std::pair(b.y, b.number);
    };
    std::vector<Place> waiting;
    const std::vector<double>& highest = operators_.highest(step);
    for (std::size_t y = 0; y < size(); ++y)
      if (y != tried && highest[y] > -std::numeric_limits<double>::infinity()) waiting.push_back({highest[y], y, 0});
    const auto& others = operators_.into(step, tried);
    if (others.size() > 1) waiting.push_back({others[1].gain, tried, 1});
    std::priority_queue queue(worse, std::move(waiting));
    while (!queue.empty()) {
      const Place best = queue.top();
      queue.pop();
      pulse::beat();
      const ClassOperator op = operators_.into(step, best.y)[best.number];
      if (take(op, how_.verify)) return true;
      const auto& list = operators_.into(step, best.y);
      if (best.number + 1 < list.size()) queue.push({list[best.number + 1].gain, best.y, best.number + 1});
    }
    return false;
  }

  // Carries an operator out if it is valid now, and finds the operators that it changed.
  bool take(const ClassOperator& op, bool verify) {
    if (!within_degree(op) || !state_.is_valid(op)) return false;
    if (!(verify ? apply_if_it_rises(op) : state_.apply(op))) return false;
    ++steps_;
    if (!keeps_all()) operators_.refresh(op.step, op);
    else
      for (const Step step : how_.phases) operators_.refresh(step, op);
    return true;
  }

  bool apply_if_it_rises(const ClassOperator& op) {
    const ClassState::Saved saved = state_.saved();
    const double before = total();
    if (!state_.apply(op)) return false;
    if (rises(before, total())) return true;
    state_.set(saved);
    return false;
  }

  bool within_degree(const ClassOperator& op) const {
    if (how_.limits.max_degree >= size()) return true;
    const BitMatrix& adjacent = state_.rows().adjacent;
    return op.step != Step::insert || std::max(count(adjacent[op.x]), count(adjacent[op.y])) < how_.limits.max_degree;
  }

  // A class of large cliques has too many removals to try them all.
  bool can_escape() {
    constexpr std::size_t most_removals_per_node = 50;
    if (operators_.all_removals().size() > most_removals_per_node * size()) return false;
    if (!keeps_all()) find_all();
    escaping_ = true;
    return true;
  }

  bool leads_above(double before) {
    settle();
    return rises(before, total());
  }

  // At a maximum each edge in turn is removed and kept out while the search goes on; the first that
  // leads higher is the way to go.
  bool escape() {
    const double before = total();
    maximum_.emplace(state_.saved(), before);
    for (const ClassOperator& op : operators_.all_removals()) {
      const std::array allowed{operators_.allowed(op.x, op.y), operators_.allowed(op.y, op.x)};
      operators_.remember();
      operators_.set_allowed(op.x, op.y, false);
      operators_.set_allowed(op.y, op.x, false);
      const bool better = take(op, false) && leads_above(before);
      operators_.set_allowed(op.x, op.y, allowed[0]);
      operators_.set_allowed(op.y, op.x, allowed[1]);
      if (better) {
        operators_.forget();
        operators_.find(Step::insert, op.x);
        operators_.find(Step::insert, op.y);
        settle();
        return true;
      }
      state_.set(maximum_->state);
      operators_.put_back();
    }
    return false;
  }

  Score& score_;
  const ClassSearch& how_;
  ClassState state_;
  ClassOperators operators_;
  bool escaping_ = false;
  std::size_t steps_ = 0;
  std::optional<Maximum> maximum_;
};

}  // namespace

ClassSearchResult search_classes(Score& score, const MarkedGraph& start, const ClassSearch& how) {
  return Search(score, start, how).run();
}

}  // namespace dagathlon
