// Search along uncovered walks: walks on which no two nodes at distance two are adjacent.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

// The rules that look for uncovered paths stay sound for walks that repeat a node: a directed walk
// proves the same ancestry as a directed path, and closing it is a contradiction earlier. Walks need
// a search over edges only, where paths would need one over all sequences.
class UncoveredWalks {
 public:
  // Row v of `step`: where a walk may go from v; row v of `adjacent`: the adjacencies of v.
  // barred(u, v, w): whether no walk may go over v from u to w; empty for none.
  using Barred = std::function<bool(std::size_t, std::size_t, std::size_t)>;
  UncoveredWalks(const BitMatrix& step, const BitMatrix& adjacent, const Barred& barred)
      : step_(step), adjacent_(adjacent), barred_(barred), seen_(step.size()) {}

  // Whether visit(v, w) holds for an edge v–w on which a walk that begins with the edge a–b arrives
  // at w; the beginning counts only when a walk comes round to it again.
  template <class Visit>
  bool any(std::size_t a, std::size_t b, Visit&& visit) {
    clear();
    pending_.emplace_back(a, b);
    BitSet next(step_.size());
    for (std::size_t k = 0; k < pending_.size(); ++k) {
      const auto [u, v] = pending_[k];
      pulse::beat();
      std::copy(step_[v].begin(), step_[v].end(), next.row().begin());
      subtract(next, adjacent_[u]);
      subtract(next, seen_[v]);
      next.reset(u);
      for (std::size_t w = first(next); w != no_node; w = first(next)) {
        next.reset(w);
        if (barred_ && barred_(u, v, w)) continue;
        if (visit(v, w)) return true;
        seen_.set(v, w);
        pending_.emplace_back(v, w);
      }
    }
    return false;
  }

 private:
  void clear() {
    for (const auto& [u, v] : pending_) seen_.reset(u, v);
    pending_.clear();
  }

  const BitMatrix& step_;
  const BitMatrix& adjacent_;
  const Barred& barred_;
  BitMatrix seen_;
  std::vector<std::pair<std::size_t, std::size_t>> pending_;
};

}  // namespace dagathlon
