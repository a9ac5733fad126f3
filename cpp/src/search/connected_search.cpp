#include "dagathlon/search/connected_search.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "dagathlon/graph/bridges.hpp"
#include "dagathlon/score/family_gains.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

// Gains are compared in these steps: those of equivalent DAGs differ by rounding only.
constexpr double quantum = 1e-6;

double rounded(double gain) { return std::round(gain / quantum); }

// A DAG with the gains of its families, and a number that tells it from others.
struct Place {
  AcyclicRows dag;
  std::vector<GainsPointer> gains;
  std::uint64_t key = 0;

  double score() const {
    double sum = 0;
    for (const GainsPointer& family : gains) sum += family->term;
    return sum;
  }
};

// The best of the moves it is shown; of equal ones the last in the order additions, removals, reversals, each by
// the arc's end and then its start.
class MoveChoice {
 public:
  bool would_take(const Move& move) const {
    if (!chosen_) return true;
    const double gain = rounded(move.gain);
    return gain > gain_ || (gain == gain_ && order(move) > order(*chosen_));
  }
  void take(const Move& move) {
    chosen_ = move;
    gain_ = rounded(move.gain);
  }
  const std::optional<Move>& chosen() const { return chosen_; }

 private:
  static std::tuple<Change, std::size_t, std::size_t> order(const Move& m) { return {m.change, m.to, m.from}; }

  std::optional<Move> chosen_;
  double gain_ = 0;
};

class ConnectedSearch {
 public:
  ConnectedSearch(Score& score, const SearchLimits& limits, const MarkedGraph& start)
      : limits_(limits), families_(score), allowed_into_(start.size()), top_{AcyclicRows(start), {}} {
    const std::size_t n = start.size();
    for (std::size_t to = 0; to < n; ++to)
      for (std::size_t from = 0; from < n; ++from)
        if (from != to && !limits.forbidden.test(from, to)) allowed_into_.set(to, from);
    Stream random(0, 0);
    for (std::size_t arc = 0; arc < n * n; ++arc) arc_keys_.push_back(random.bits());
  }

  void run(std::size_t escapes) {
    for (std::size_t i = 0; i < top_.dag.size(); ++i) top_.gains.push_back(families_.of(i, top_.dag.parents(i)));
    do climb();
    while (escape(escapes));
  }

  // The highest maximum so far, or how far the climb has come.
  MarkedGraph dag() const { return top_.dag.graph(); }
  std::size_t steps() const { return steps_; }
  std::size_t evaluations() const { return families_.evaluations(); }

 private:
  void climb() {
    const auto gains = [](const Move& move) { return rounded(move.gain) > 0; };
    while (const auto step = best_move(top_, gains)) make(top_, *step);
  }

  // Whether steps from the maximum lead higher, and then to where.
  bool escape(std::size_t most) {
    const double level = top_.score();
    Place here = top_;
    std::unordered_set<std::uint64_t> seen{here.key};
    const auto is_new = [&](const Move& move) { return !seen.contains(here.key ^ key_of(move)); };
    for (std::size_t tried = 0; tried < most; ++tried) {
      const auto step = best_move(here, is_new);
      if (!step) return false;
      make(here, *step);
      seen.insert(here.key);
      if (rounded(here.score() - level) > 0) {
        top_ = here;
        return true;
      }
    }
    return false;
  }

  template <class Wanted>
  std::optional<Move> best_move(const Place& here, const Wanted& wanted) const {
    MoveChoice choice;
    each_move(here, [&](const Move& move) {
      if (std::isfinite(move.gain) && choice.would_take(move) && wanted(move)) choice.take(move);
    });
    return choice.chosen();
  }

  template <class Visit>
  void each_move(const Place& here, Visit&& visit) const {
    const Bridges bridges(here.dag);
    for (std::size_t to = 0; to < here.dag.size(); ++to) {
      each_addition(here, to, visit);
      each_change(here, bridges, to, visit);
    }
  }

  template <class Visit>
  void each_addition(const Place& here, std::size_t to, Visit&& visit) const {
    if (here.dag.n_parents(to) >= limits_.max_parents) return;
    BitSet from_where(here.dag.size(), allowed_into_[to]);
    subtract(from_where, here.dag.parents(to));
    subtract(from_where, here.dag.descendants(to));
    for_each(from_where, [&](std::size_t from) { visit({Change::add, from, to, here.gains[to]->of_change[from]}); });
  }

  template <class Visit>
  void each_change(const Place& here, const Bridges& bridges, std::size_t to, Visit&& visit) const {
    for_each(here.dag.parents(to), [&](std::size_t from) {
      if (limits_.required.test(from, to)) return;
      const double removed = here.gains[to]->of_change[from];
      if (!bridges.has(from, to)) visit({Change::remove, from, to, removed});
      if (allowed_into_.test(from, to) && here.dag.n_parents(from) < limits_.max_parents &&
          here.dag.reversible(from, to))
        visit({Change::reverse, from, to, removed + here.gains[from]->of_change[to]});
    });
  }

  std::uint64_t key_of(const Move& move) const {
    const std::size_t n = allowed_into_.size();
    const std::uint64_t key = arc_keys_[move.from * n + move.to];
    return move.change == Change::reverse ? key ^ arc_keys_[move.to * n + move.from] : key;
  }

  void make(Place& here, const Move& move) {
    pulse::progress(++steps_);
    switch (move.change) {
      case Change::add: here.dag.add(move.from, move.to); break;
      case Change::remove: here.dag.remove(move.from, move.to); break;
      case Change::reverse: here.dag.reverse(move.from, move.to); break;
    }
    here.key ^= key_of(move);
    here.gains[move.to] = families_.of(move.to, here.dag.parents(move.to));
    if (move.change == Change::reverse) here.gains[move.from] = families_.of(move.from, here.dag.parents(move.from));
  }

  const SearchLimits& limits_;
  FamilyGains families_;
  BitMatrix allowed_into_;
  std::vector<std::uint64_t> arc_keys_;
  Place top_;
  std::size_t steps_ = 0;
};

}  // namespace

SearchResult connected_search(Score& score, const SearchLimits& limits, const MarkedGraph& start, std::size_t escapes) {
  ConnectedSearch search(score, limits, start);
  pulse::until_deadline([&] { search.run(escapes); });
  const MarkedGraph dag = search.dag();
  return {dag, total(score, dag), search.steps(), search.evaluations()};
}

}  // namespace dagathlon
