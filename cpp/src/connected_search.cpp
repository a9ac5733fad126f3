#include "dagathlon/connected_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dagathlon/bridges.hpp"
#include "dagathlon/family_gains.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// A DAG with the gains of its families.
struct Place {
  AcyclicRows dag;
  std::vector<GainsPointer> gains;

  double score() const {
    double sum = 0;
    for (const GainsPointer& family : gains) sum += family->term;
    return sum;
  }
};

class ConnectedSearch {
 public:
  ConnectedSearch(Score& score, const SearchLimits& limits, const MarkedGraph& start)
      : limits_(limits), families_(score), allowed_into_(start.size()), top_{AcyclicRows(start), {}} {
    for (std::size_t to = 0; to < start.size(); ++to)
      for (std::size_t from = 0; from < start.size(); ++from)
        if (from != to && !limits.forbidden.test(from, to)) allowed_into_.set(to, from);
  }

  void run(std::size_t escapes) {
    for (std::size_t i = 0; i < top_.dag.size(); ++i) top_.gains.push_back(families_.of(i, top_.dag.parents(i)));
    climb(top_, nullptr);
    while (escape(escapes)) continue;
  }

  // The highest maximum so far, or how far the first climb has come.
  MarkedGraph dag() const { return top_.dag.graph(); }
  std::size_t steps() const { return steps_; }
  std::size_t evaluations() const { return families_.evaluations(); }

 private:
  // Whether a neighbour of the maximum leads to a higher one, which then takes its place.
  bool escape(std::size_t most) {
    if (most == 0) return false;
    const double level = top_.score();
    std::vector<Move> ways = moves(top_, minus_infinity);
    std::ranges::stable_sort(ways, std::ranges::greater(), &Move::gain);
    if (ways.size() > most) ways.resize(most);
    for (const Move& way : ways) {
      pulse::beat();
      Place next = top_;
      make(next, way);
      climb(next, &top_);
      if (next.score() - level > tie_tolerance) {
        top_ = std::move(next);
        return true;
      }
    }
    return false;
  }

  // Up until no step gains, or until the maximum that one came from is reached again.
  void climb(Place& here, const Place* origin) {
    while (const auto step = best_move(here)) {
      pulse::progress(++steps_);
      make(here, *step);
      if (origin && here.gains == origin->gains) return;
    }
  }

  std::optional<Move> best_move(const Place& here) const {
    std::optional<Move> chosen;
    for (const Move& move : moves(here, 0.0))
      if (move.gain - (chosen ? chosen->gain : 0.0) > tie_tolerance) chosen = move;
    return chosen;
  }

  // The moves that gain more than `above`: additions, removals, reversals, each by the arc's start and its end.
  std::vector<Move> moves(const Place& here, double above) const {
    std::vector<Move> result;
    for (std::size_t to = 0; to < here.dag.size(); ++to) add_additions(here, to, above, result);
    const Bridges bridges(here.dag);
    for (std::size_t to = 0; to < here.dag.size(); ++to) add_changes(here, bridges, to, above, result);
    std::ranges::sort(result, {}, [](const Move& m) { return std::tuple(m.change, m.from, m.to); });
    return result;
  }

  void add_additions(const Place& here, std::size_t to, double above, std::vector<Move>& result) const {
    if (here.dag.n_parents(to) >= limits_.max_parents) return;
    const std::vector<double>& gains = here.gains[to]->of_change;
    BitSet from_where(here.dag.size(), allowed_into_[to]);
    subtract(from_where, here.dag.parents(to));
    subtract(from_where, here.dag.descendants(to));
    for_each(from_where, [&](std::size_t from) {
      if (gains[from] > above) result.push_back({Change::add, from, to, gains[from]});
    });
  }

  void add_changes(const Place& here, const Bridges& bridges, std::size_t to, double above,
                   std::vector<Move>& result) const {
    for_each(here.dag.parents(to), [&](std::size_t from) {
      if (limits_.required.test(from, to)) return;
      const double removed = here.gains[to]->of_change[from];
      if (removed > above && !bridges.has(from, to)) result.push_back({Change::remove, from, to, removed});
      const double turned = removed + here.gains[from]->of_change[to];
      if (turned > above && allowed_into_.test(from, to) && here.dag.n_parents(from) < limits_.max_parents &&
          here.dag.reversible(from, to))
        result.push_back({Change::reverse, from, to, turned});
    });
  }

  void make(Place& here, const Move& move) {
    switch (move.change) {
      case Change::add: here.dag.add(move.from, move.to); break;
      case Change::remove: here.dag.remove(move.from, move.to); break;
      case Change::reverse: here.dag.reverse(move.from, move.to); break;
    }
    here.gains[move.to] = families_.of(move.to, here.dag.parents(move.to));
    if (move.change == Change::reverse) here.gains[move.from] = families_.of(move.from, here.dag.parents(move.from));
  }

  const SearchLimits& limits_;
  FamilyGains families_;
  BitMatrix allowed_into_;
  Place top_;
  std::size_t steps_ = 0;
};

}  // namespace

SearchResult connected_search(Score& score, const SearchLimits& limits, const MarkedGraph& start,
                              std::size_t escapes) {
  ConnectedSearch search(score, limits, start);
  pulse::until_deadline([&] { search.run(escapes); });
  const MarkedGraph dag = search.dag();
  return {dag, total(score, dag), search.steps(), search.evaluations()};
}

}  // namespace dagathlon
