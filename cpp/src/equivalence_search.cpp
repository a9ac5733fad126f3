#include "dagathlon/equivalence_search.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <span>
#include <utility>

#include "dagathlon/arc_moves.hpp"

namespace dagathlon {

namespace {

class Search {
 public:
  Search(Score& score, const MarkedGraph& start, const ClassSearch& how)
      : score_(score), how_(how), state_(start, how.targets, how.limits.forbidden), operators_(score, state_, how.limits) {
    if (keeps_all())
      for (const Step step : how.phases) operators_.find(step);
  }

  ClassSearchResult run() {
    settle();
    while (how_.escape && escape()) {
    }
    return {state_.graph(), total(), steps_};
  }

 private:
  std::size_t size() const { return state_.size(); }
  // Whether the operators of all phases are at hand at any time.
  bool keeps_all() const { return how_.together || how_.escape; }

  double total() {
    const MarkedGraph dag = state_.member();
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      std::vector<std::size_t> parents;
      for_each(dag.parents(i), [&](std::size_t s) { parents.push_back(s); });
      sum += score_.local(i, parents);
    }
    return sum;
  }

  // Goes up until the phases lead no further; what that gained.
  double settle() {
    if (how_.together) return climb(how_.phases);
    double gained = 0;
    for (bool changed = true; changed;) {
      const std::size_t before = steps_;
      for (const Step& phase : how_.phases) {
        if (!keeps_all()) operators_.find(phase);
        gained += climb(std::span(&phase, 1));
      }
      changed = how_.iterate && steps_ > before;
    }
    return gained;
  }

  // One step after another, each of the first kind that gains anything.
  double climb(std::span<const Step> kinds) {
    double gained = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Step kind : kinds)
        if (const std::optional<double> gain = make_best(kind)) {
          gained += *gain;
          changed = true;
          break;
        }
    }
    return gained;
  }

  // Takes the operator of highest gain that is valid now; what it gained.
  std::optional<double> make_best(Step step) {
    using Place = std::pair<std::size_t, std::size_t>;
    const auto worse = [&](const Place& a, const Place& b) {
      const double left = operators_.into(step, a.first)[a.second].gain;
      const double right = operators_.into(step, b.first)[b.second].gain;
      return left != right ? left < right : a > b;
    };
    std::priority_queue<Place, std::vector<Place>, decltype(worse)> queue(worse);
    for (std::size_t y = 0; y < size(); ++y)
      if (!operators_.into(step, y).empty()) queue.push({y, 0});
    while (!queue.empty()) {
      const auto [y, place] = queue.top();
      queue.pop();
      const ClassOperator op = operators_.into(step, y)[place];
      if (take(op)) return op.gain;
      if (place + 1 < operators_.into(step, y).size()) queue.push({y, place + 1});
    }
    return std::nullopt;
  }

  // Carries an operator out if it is valid now, and finds the operators that it changed.
  bool take(const ClassOperator& op) {
    if (!within_degree(op) || !state_.is_valid(op)) return false;
    const Pdag before = state_.rows();
    if (!state_.apply(op)) return false;
    ++steps_;
    if (!keeps_all()) operators_.refresh(op.step, before, op);
    else
      for (const Step step : how_.phases) operators_.refresh(step, before, op);
    return true;
  }

  bool within_degree(const ClassOperator& op) const {
    const BitMatrix& adjacent = state_.rows().adjacent;
    return op.step != Step::insert ||
           std::max(count(adjacent[op.x]), count(adjacent[op.y])) < how_.limits.max_degree;
  }

  // At a maximum each edge in turn is removed and kept out while the search goes on; the first that
  // leads higher is the way to go.
  bool escape() {
    const MarkedGraph graph = state_.graph();
    const ClassOperators::Lists lists = operators_.lists();
    for (const ClassOperator& op : operators_.all_removals()) {
      const std::array allowed{operators_.allowed(op.x, op.y), operators_.allowed(op.y, op.x)};
      operators_.set_allowed(op.x, op.y, false);
      operators_.set_allowed(op.y, op.x, false);
      const bool better = take(op) && op.gain + settle() > tie_tolerance;
      operators_.set_allowed(op.x, op.y, allowed[0]);
      operators_.set_allowed(op.y, op.x, allowed[1]);
      if (better) {
        operators_.find(Step::insert, op.x);
        operators_.find(Step::insert, op.y);
        settle();
        return true;
      }
      state_.set(graph);
      operators_.restore(lists);
    }
    return false;
  }

  Score& score_;
  const ClassSearch& how_;
  ClassState state_;
  ClassOperators operators_;
  std::size_t steps_ = 0;
};

}  // namespace

ClassSearchResult search_classes(Score& score, const MarkedGraph& start, const ClassSearch& how) {
  return Search(score, start, how).run();
}

}  // namespace dagathlon
