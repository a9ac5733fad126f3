#include "dagathlon/undirected/pseudo_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/sum_tree.hpp"

namespace dagathlon {

namespace {

// What one node gains by turning each of its possible edges; its own term is in its own place.
using Gains = std::vector<double>;

// Gains of nodes with the neighbours that they had before: an edge that comes and goes leaves the
// neighbours as they were.
class KnownGains {
 public:
  KnownGains(Score& score, std::size_t max_neighbours) : score_(score), max_neighbours_(max_neighbours) {}

  const Gains& of(std::size_t node, const std::vector<std::size_t>& neighbours) {
    key_.assign(1, static_cast<char32_t>(node));
    for (const std::size_t x : neighbours) key_.push_back(static_cast<char32_t>(x));
    if (const auto found = known_.find(key_); found != known_.end()) return found->second;
    Gains fresh = computed(node, neighbours);
    if ((known_.size() + 1) * score_.size() > most_values) known_.clear();
    return known_.emplace(key_, std::move(fresh)).first->second;
  }

 private:
  static constexpr std::size_t most_values = std::size_t{1} << 23;

  Gains computed(std::size_t node, const std::vector<std::size_t>& neighbours) {
    Gains gains(score_.size(), -std::numeric_limits<double>::infinity());
    if (neighbours.size() < max_neighbours_) score_.additions(node, neighbours, gains);
    removed_.resize(neighbours.size());
    score_.removals(node, neighbours, removed_);
    for (std::size_t k = 0; k < neighbours.size(); ++k) gains[neighbours[k]] = removed_[k];
    const double own = score_.local(node, neighbours);
    for (double& gain : gains) gain -= own;
    gains[node] = own;
    return gains;
  }

  Score& score_;
  std::size_t max_neighbours_;
  std::u32string key_;
  std::vector<double> removed_;
  std::unordered_map<std::u32string, Gains> known_;
};

class PseudoState {
 public:
  PseudoState(Score& score, const PseudoPrior& prior, const BitMatrix& start)
      : n_(score.size()), prior_(prior), known_(score, prior.max_neighbours), gains_(n_ * n_), rates_(n_ * n_ / 2) {
    for (std::size_t node = 0; node < n_; ++node) {
      replace(node, known_.of(node, neighbours(node, no_node, start)));
      ends_ += count(start[node]);
    }
    for (std::size_t x = 0; x < n_; ++x)
      for (std::size_t y = 0; y < x; ++y) set_rate(x, y, start);
  }

  // The log weight of the graph where the chain is.
  double value() const {
    double sum = prior_.log_odds * static_cast<double>(ends_ / 2);
    for (std::size_t x = 0; x < n_; ++x) sum += gains_[x * n_ + x];
    return sum;
  }

  // One unit of time.
  void run(UndirectedLog& log, Stream& random) {
    double left = 1;
    while (true) {
      const double wait = -std::log1p(-random.uniform()) / rates_.total();
      // Not less: a graph that no edge can leave waits for ever.
      if (!(wait < left)) break;
      log.stay(wait);
      left -= wait;
      const auto [x, y] = pair_at(rates_.find(random.uniform() * rates_.total()));
      turn(x, y, log);
    }
    log.stay(left);
  }

 private:
  static std::size_t place(std::size_t x, std::size_t y) { return x > y ? x * (x - 1) / 2 + y : y * (y - 1) / 2 + x; }

  static std::pair<std::size_t, std::size_t> pair_at(std::size_t place) {
    auto x = static_cast<std::size_t>((1 + std::sqrt(1 + 8 * static_cast<double>(place))) / 2);
    while (x * (x - 1) / 2 > place) --x;
    while (x * (x + 1) / 2 <= place) ++x;
    return {x, place - x * (x - 1) / 2};
  }

  // Gains may beat, so that nothing is changed before both ends have theirs.
  void turn(std::size_t x, std::size_t y, UndirectedLog& log) {
    pulse::beat();
    const Gains of_x = known_.of(x, neighbours(x, y, log.graph()));
    const Gains& of_y = known_.of(y, neighbours(y, x, log.graph()));
    replace(x, of_x);
    replace(y, of_y);
    log.toggle(x, y);
    ends_ = log.graph().test(x, y) ? ends_ + 2 : ends_ - 2;
    for (const std::size_t end : {x, y})
      for (std::size_t other = 0; other < n_; ++other)
        if (other != end) set_rate(end, other, log.graph());
  }

  // Those of a node after the edge to one other is turned.
  const std::vector<std::size_t>& neighbours(std::size_t node, std::size_t turned, const BitMatrix& graph) {
    neighbours_.clear();
    for (std::size_t x = 0; x < n_; ++x)
      if (graph.test(node, x) != (x == turned)) neighbours_.push_back(x);
    return neighbours_;
  }

  void replace(std::size_t node, const Gains& gains) {
    std::ranges::copy(gains, gains_.begin() + static_cast<std::ptrdiff_t>(node * n_));
  }

  void set_rate(std::size_t x, std::size_t y, const BitMatrix& graph) {
    const double prior = graph.test(x, y) ? -prior_.log_odds : prior_.log_odds;
    const double gain = gains_[x * n_ + y] + gains_[y * n_ + x] + prior;
    rates_.set(place(x, y), gain < 0 ? std::exp(gain) : 1.0);
  }

  std::size_t n_;
  PseudoPrior prior_;
  KnownGains known_;
  std::vector<double> gains_;
  std::size_t ends_ = 0;
  SumTree rates_;
  std::vector<std::size_t> neighbours_;
};

}  // namespace

UndirectedLog pseudo_likelihood_chain(Score& score, const PseudoPrior& prior, const BitMatrix& start,
                                      const ChainLength& length, Stream random) {
  UndirectedLog log(score.size(), length.saved() + 1, UndirectedLog::Means::yes, UndirectedLog::Time::continuous);
  log.become(start);
  PseudoState state(score, prior, start);
  return run_undirected(
      std::move(log), length, [&](std::size_t, UndirectedLog& to) { state.run(to, random); },
      [&] { return state.value(); });
}

}  // namespace dagathlon
