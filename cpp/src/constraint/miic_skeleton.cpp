#include <cmath>
#include <queue>
#include <tuple>

#include "dagathlon/constraint/miic.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

struct Contributor {
  double rank = -1;
  std::size_t node = no_node;
};

std::vector<std::size_t> with(std::vector<std::size_t> set, std::size_t node) {
  set.push_back(node);
  return set;
}

class PairSearch {
 public:
  PairSearch(CorrectedInformation& information, const MiicSearch& search)
      : information_(information), search_(search), edges_(information.size()) {}

  std::vector<Explained> run() {
    start();
    while (!queue_.empty()) {
      const auto [rank, place, node] = queue_.top();
      queue_.pop();
      take(pairs_[place], node);
      if (pairs_[place].edge) offer(place);
    }
    return std::move(pairs_);
  }

 private:
  static bool known(const BitMatrix& pairs, std::size_t x, std::size_t y) {
    return pairs.size() != 0 && (pairs.test(x, y) || pairs.test(y, x));
  }

  void start() {
    const std::size_t p = information_.size();
    for (std::size_t x = 0; x < p; ++x)
      for (std::size_t y = x + 1; y < p; ++y) {
        const bool gap = known(search_.fixed_gaps, x, y);
        const double value = information_(x, y, {});
        pairs_.push_back({x, y, {}, value, !gap && (value > 0 || known(search_.fixed_edges, x, y))});
        if (!pairs_.back().edge) continue;
        edges_.set(x, y);
        edges_.set(y, x);
      }
    for (std::size_t place = 0; place < pairs_.size(); ++place) {
      pulse::progress(place, pairs_.size());
      if (pairs_[place].edge && !known(search_.fixed_edges, pairs_[place].x, pairs_[place].y)) offer(place);
    }
  }

  void take(Explained& pair, std::size_t node) {
    pair.contributors.push_back(node);
    pair.information = information_(pair.x, pair.y, pair.contributors);
    if (pair.information > 0) return;
    pair.edge = false;
    edges_.reset(pair.x, pair.y);
    edges_.reset(pair.y, pair.x);
  }

  void offer(std::size_t place) {
    const Contributor best = strongest(pairs_[place]);
    if (best.node != no_node && best.rank > 0.5) queue_.emplace(best.rank, place, best.node);
  }

  Contributor strongest(const Explained& pair) {
    Contributor best;
    for (std::size_t z = 0; z < information_.size(); ++z) {
      if (z == pair.x || z == pair.y || std::ranges::find(pair.contributors, z) != pair.contributors.end()) continue;
      if (search_.neighbours_only && !edges_.test(pair.x, z) && !edges_.test(pair.y, z)) continue;
      const double value = rank(pair, z);
      if (value > best.rank) best = {value, z};
    }
    return best;
  }

  // How credible it is that z is on the way between x and y: that the triple is no collider at z,
  // and that x–y is its weakest side.
  double rank(const Explained& pair, std::size_t z) {
    const auto& u = pair.contributors;
    const double lost = pair.information - information_(pair.x, pair.y, with(u, z));
    const double no_collider = 1 / (1 + std::exp(-lost));
    const double to_x = std::exp(pair.information - information_(pair.x, z, u));
    const double to_y = std::exp(pair.information - information_(pair.y, z, u));
    return std::min(no_collider, 1 / (1 + to_x + to_y));
  }

  // The highest rank first; of equal ones the first pair.
  struct Later {
    bool operator()(const std::tuple<double, std::size_t, std::size_t>& a,
                    const std::tuple<double, std::size_t, std::size_t>& b) const {
      return std::get<0>(a) != std::get<0>(b) ? std::get<0>(a) < std::get<0>(b) : std::get<1>(a) > std::get<1>(b);
    }
  };

  CorrectedInformation& information_;
  const MiicSearch& search_;
  BitMatrix edges_;
  std::vector<Explained> pairs_;
  std::priority_queue<std::tuple<double, std::size_t, std::size_t>,
                      std::vector<std::tuple<double, std::size_t, std::size_t>>, Later>
      queue_;
};

}  // namespace

std::vector<Explained> explained_pairs(CorrectedInformation& information, const MiicSearch& search) {
  return PairSearch(information, search).run();
}

}  // namespace dagathlon
