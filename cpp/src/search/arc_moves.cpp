#include "dagathlon/search/arc_moves.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/score/score_team.hpp"

namespace dagathlon {

namespace {

// Moves that may still tie with the best one; gains in between never differ by so little.
constexpr double tie_window = 64 * tie_tolerance;

bool is_among(const std::vector<Move>& moves, Change change, std::size_t from, std::size_t to) {
  return std::ranges::any_of(moves, [&](const Move& m) { return m.change == change && m.from == from && m.to == to; });
}

}  // namespace

ArcMoves::ArcMoves(Score& score, const SearchLimits& limits, const MarkedGraph& start)
    : score_(score),
      limits_(limits),
      dag_(start),
      allowed_into_(start.size()),
      terms_(start.size()),
      gains_(start.size() * start.size(), minus_infinity),
      best_(start.size()) {
  const std::size_t n = start.size();
  for (std::size_t to = 0; to < n; ++to)
    for (std::size_t from = 0; from < n; ++from)
      if (from != to && !limits.forbidden.test(from, to)) allowed_into_.set(to, from);
  for (std::size_t child = 0; child < n; ++child)
    for_each(dag_.parents(child), [&](std::size_t from) { arcs_.push_back({from, child, 0.0, 0.0}); });
  ScoreTeam team(score, n < nodes_worth_splitting ? 1 : n);
  team.each(n, [&](std::size_t child, Score& own) {
    rescore(child, own);
    refresh(child);
  });
  evaluations_ = n * n;
  for (Arc& arc : arcs_)
    arc = {arc.from, arc.to, gain(arc.from, arc.to), gain(arc.from, arc.to) + gain(arc.to, arc.from)};
}

double ArcMoves::score() const {
  double sum = 0;
  for (const double term : terms_) sum += term;
  return sum;
}

void ArcMoves::rescore(std::size_t child) {
  rescore(child, score_);
  evaluations_ += dag_.size();
}

void ArcMoves::rescore(std::size_t child, Score& score) {
  const std::size_t n = dag_.size();
  std::vector<std::size_t> parents;
  for_each(dag_.parents(child), [&](std::size_t i) { parents.push_back(i); });
  const double now = score.local(child, parents);
  const std::span<double> gains(gains_.data() + child * n, n);
  score.additions(child, parents, gains);
  std::vector<double> without(parents.size());
  score.removals(child, parents, without);
  for (std::size_t k = 0; k < parents.size(); ++k) gains[parents[k]] = without[k];
  for (double& value : gains) value -= now;
  gains[child] = minus_infinity;
  terms_[child] = now;
}

BitSet ArcMoves::candidates(std::size_t child) const {
  BitSet result(dag_.size(), allowed_into_[child]);
  if (dag_.n_parents(child) >= limits_.max_parents) result.clear();
  subtract(result, dag_.parents(child));
  subtract(result, dag_.descendants(child));
  return result;
}

ArcMoves::Best ArcMoves::best_addition(std::size_t child, const std::vector<Move>& banned) const {
  Best result{no_node, minus_infinity};
  for_each(candidates(child), [&](std::size_t from) {
    if (gain(from, child) > result.gain && !is_among(banned, Change::add, from, child))
      result = {from, gain(from, child)};
  });
  return result;
}

std::optional<Move> ArcMoves::best(double baseline, const std::vector<Move>& banned) const {
  double top = minus_infinity;
  for (std::size_t to = 0; to < dag_.size(); ++to) {
    const Best& found = best_[to];
    if (found.from == no_node || !(found.gain > top)) continue;
    const bool is_banned = is_among(banned, Change::add, found.from, to);
    top = std::max(top, is_banned ? best_addition(to, banned).gain : found.gain);
  }
  std::vector<Move> moves = changes_of_arcs(banned, top);
  for (const Move& move : moves) top = std::max(top, move.gain);
  if (!(top - baseline > tie_tolerance)) return std::nullopt;
  std::erase_if(moves, [&](const Move& move) { return !(move.gain > top - tie_window); });
  collect_additions(top - tie_window, banned, moves);
  std::ranges::sort(moves, {}, [](const Move& m) { return std::tuple(m.change, m.from, m.to); });
  std::optional<Move> chosen;
  for (const Move& move : moves)
    if (move.gain - (chosen ? chosen->gain : baseline) > tie_tolerance) chosen = move;
  return chosen;
}

void ArcMoves::collect_additions(double above, const std::vector<Move>& banned, std::vector<Move>& moves) const {
  for (std::size_t to = 0; to < dag_.size(); ++to) {
    if (best_[to].from == no_node || !(best_[to].gain > above)) continue;
    for_each(candidates(to), [&](std::size_t from) {
      if (gain(from, to) > above && !is_among(banned, Change::add, from, to))
        moves.push_back({Change::add, from, to, gain(from, to)});
    });
  }
}

std::vector<Move> ArcMoves::changes_of_arcs(const std::vector<Move>& banned, double top) const {
  std::vector<Move> moves;
  for (const Arc& arc : arcs_) {
    if (!(arc.removal > top - tie_window || arc.reversal > top - tie_window)) continue;
    for (const auto& [change, gained] :
         {std::pair(Change::remove, arc.removal), std::pair(Change::reverse, arc.reversal)}) {
      const Move move{change, arc.from, arc.to, gained};
      if (!(gained > top - tie_window) || !allowed(move) || is_among(banned, change, arc.from, arc.to)) continue;
      top = std::max(top, gained);
      moves.push_back(move);
    }
  }
  return moves;
}

bool ArcMoves::allowed(const Move& move) const {
  if (move.change == Change::add) return candidates(move.to).test(move.from);
  if (!dag_.has(move.from, move.to) || limits_.required.test(move.from, move.to)) return false;
  if (move.change == Change::remove) return true;
  return allowed_into_.test(move.from, move.to) && dag_.n_parents(move.from) < limits_.max_parents &&
         dag_.reversible(move.from, move.to);
}

void ArcMoves::make(const Move& move) {
  if (move.change != Change::add) part(move.from, move.to);
  if (move.change == Change::add) join(move.from, move.to);
  if (move.change == Change::reverse) join(move.to, move.from);
  rescore(move.to);
  if (move.change == Change::reverse) rescore(move.from);
  refresh(move.to);
  refresh_arcs(move.to);
  if (move.change != Change::reverse) return;
  refresh(move.from);
  refresh_arcs(move.from);
}

// An arc more makes arcs from below it to above it impossible, and changes nothing else.
void ArcMoves::join(std::size_t from, std::size_t to) {
  dag_.add(from, to);
  arcs_.push_back({from, to, 0.0, 0.0});
  BitSet above(dag_.size(), dag_.ancestors(from));
  above.set(from);
  for_each(above, [&](std::size_t child) {
    const std::size_t source = best_[child].from;
    if (source == to || (source != no_node && test(dag_.descendants(to), source))) refresh(child);
  });
}

// An arc less makes arcs from what was below it to what was above it possible that had been cycles.
void ArcMoves::part(std::size_t from, std::size_t to) {
  BitSet above(dag_.size(), dag_.ancestors(from));
  above.set(from);
  BitSet below(dag_.size(), dag_.descendants(to));
  below.set(to);
  dag_.remove(from, to);
  std::erase_if(arcs_, [&](const Arc& arc) { return arc.from == from && arc.to == to; });
  for_each(above, [&](std::size_t child) {
    if (dag_.n_parents(child) >= limits_.max_parents) return;
    BitSet gained = below;
    subtract(gained, dag_.descendants(child));
    intersect(gained, allowed_into_[child]);
    Best& best = best_[child];
    for_each(gained, [&](std::size_t source) {
      const double other = gain(source, child);
      const bool earlier = best.from != no_node && other == best.gain && source < best.from;
      if (other > best.gain || earlier) best = {source, other};
    });
  });
}

void ArcMoves::refresh_arcs(std::size_t node) {
  for (Arc& arc : arcs_) {
    if (arc.from != node && arc.to != node) continue;
    arc.removal = gain(arc.from, arc.to);
    arc.reversal = arc.removal + gain(arc.to, arc.from);
  }
}

}  // namespace dagathlon
