#include "dagathlon/search/hill_climbing.hpp"

#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

// Counts the steps of all climbs together.
void climb(ArcMoves& moves, std::size_t max_steps, std::size_t& steps) {
  for (std::size_t step = 0; step < max_steps; ++step, ++steps) {
    pulse::progress(steps);
    const auto move = moves.best(0.0);
    if (!move) break;
    moves.make(*move);
  }
}

// Random allowed moves; gives up when the limits leave hardly any.
void perturb(ArcMoves& moves, std::size_t number, Stream& random) {
  const std::size_t n = moves.dag().size();
  if (n < 2) return;
  std::size_t attempts = 100 * n * n;
  while (number > 0 && attempts-- > 0) {
    pulse::beat();
    const std::size_t from = random.below(n);
    const std::size_t to = random.below(n);
    const bool is_arc = moves.dag().has(from, to);
    const Change change = !is_arc ? Change::add : random.below(2) == 0 ? Change::remove : Change::reverse;
    const Move move{change, from, to, 0.0};
    if (from == to || !moves.allowed(move)) continue;
    moves.make(move);
    --number;
  }
}

// The arcs in which a DAG of the past differs from the present one.
class Difference {
 public:
  void take_back(const Move& move) {
    toggle(move.from, move.to);
    if (move.change == Change::reverse) toggle(move.to, move.from);
  }

  // Adds the one move that leads from the present DAG to that of the past, where there is one.
  void add_move(const AcyclicRows& dag, std::vector<Move>& moves) const {
    if (arcs_.size() == 1) {
      const auto [from, to] = arcs_[0];
      moves.push_back({dag.has(from, to) ? Change::remove : Change::add, from, to, 0.0});
    } else if (arcs_.size() == 2 && arcs_[0].first == arcs_[1].second && arcs_[0].second == arcs_[1].first) {
      const auto [from, to] = dag.has(arcs_[0].first, arcs_[0].second) ? arcs_[0] : arcs_[1];
      moves.push_back({Change::reverse, from, to, 0.0});
    }
  }

 private:
  void toggle(std::size_t from, std::size_t to) {
    if (std::erase(arcs_, std::pair(from, to)) == 0) arcs_.emplace_back(from, to);
  }

  std::vector<std::pair<std::size_t, std::size_t>> arcs_;
};

// Moves from the present DAG back to one of those before it; the latest moves stand first.
std::vector<Move> moves_back(const AcyclicRows& dag, const std::deque<Move>& latest) {
  std::vector<Move> banned;
  Difference difference;
  for (const Move& move : latest) {
    difference.take_back(move);
    difference.add_move(dag, banned);
  }
  return banned;
}

// Tabu search from `best`, which is kept up to date.
void climb_over(Score& score, const SearchLimits& limits, const TabuSearch& how, SearchResult& best) {
  ArcMoves moves(score, limits, best.dag);
  best.score = moves.score();
  std::deque<Move> latest;
  std::size_t fruitless = 0;
  for (; best.steps < how.max_steps; ++best.steps) {
    pulse::progress(best.steps);
    const std::vector<Move> banned = moves_back(moves.dag(), latest);
    auto move = moves.best(0.0, banned);
    if (!move) {
      if (fruitless >= how.patience) break;
      ++fruitless;
      move = moves.best(minus_infinity, banned);
      if (!move) break;
    }
    moves.make(*move);
    latest.push_front(*move);
    if (latest.size() + 1 > how.memory) latest.pop_back();
    if (moves.score() - best.score > tie_tolerance) {
      best.dag = moves.dag().graph();
      best.score = moves.score();
      fruitless = 0;
    }
  }
  best.evaluations = moves.evaluations();
}

}  // namespace

SearchResult hill_climb(Score& score, const SearchLimits& limits, const MarkedGraph& start, const HillClimbing& how) {
  SearchResult best{start, minus_infinity, 0, 0};
  std::optional<ArcMoves> moves;
  const auto climb_from = [&](const MarkedGraph& dag, std::size_t perturbations, Stream& random) {
    moves.emplace(score, limits, dag);
    perturb(*moves, perturbations, random);
    climb(*moves, how.max_steps, best.steps);
    best.evaluations += moves->evaluations();
  };
  const auto keep = [&](double found) {
    best.dag = moves->dag().graph();
    best.score = found;
  };
  const bool finished = pulse::until_deadline([&] {
    Stream random(how.seed, 0);
    climb_from(start, 0, random);
    keep(moves->score());
    for (std::size_t restart = 0; restart < how.restarts; ++restart) {
      climb_from(MarkedGraph(best.dag), how.perturbations, random);
      if (moves->score() - best.score > tie_tolerance) keep(moves->score());
    }
  });
  if (finished) return best;
  // The last move may not have been scored again.
  if (!moves) best.score = total(score, best.dag);
  else if (const double reached = total(score, moves->dag().graph()); reached > best.score) keep(reached);
  return best;
}

SearchResult tabu_search(Score& score, const SearchLimits& limits, const MarkedGraph& start, const TabuSearch& how) {
  SearchResult best{start, minus_infinity, 0, 0};
  if (!pulse::until_deadline([&] { climb_over(score, limits, how, best); }) && best.score == minus_infinity)
    best.score = total(score, best.dag);
  return best;
}

}  // namespace dagathlon
