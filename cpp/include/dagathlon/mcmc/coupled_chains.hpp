// Metropolis-coupled Markov chains: copies of a chain on flatter posteriors, which now and then exchange
// their states, so that what the hot ones find reaches the cold one.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// Factors of logarithmic weights, the first one 1: the chain of the posterior itself.
using Coldness = std::vector<double>;

// How often neighbouring chains exchanged their states, of how many proposals.
struct SwapCounts {
  std::vector<std::size_t> proposed;
  std::vector<std::size_t> accepted;
};

// A state has value(), the logarithm of its weight.
template <class State>
class CoupledChains {
 public:
  CoupledChains(const State& start, Coldness coldness)
      : coldness_(std::move(coldness)), states_(coldness_.size(), start), rungs_(coldness_.size()) {
    std::iota(rungs_.begin(), rungs_.end(), std::size_t{0});
    counts_.proposed.assign(coldness_.size() - 1, 0);
    counts_.accepted = counts_.proposed;
  }

  State& cold() { return states_[rungs_[0]]; }
  const SwapCounts& counts() const { return counts_; }

  // Goes where others of the same coldness are; the counts stay.
  void take(const CoupledChains& others) {
    states_ = others.states_;
    rungs_ = others.rungs_;
  }

  // A step of every chain by move(state, coldness), or an exchange. Which of the two is drawn, so that
  // the whole is reversible.
  template <class Move>
  void step(Move&& move, Stream& random) {
    constexpr double exchange = 0.1;
    if (states_.size() > 1 && random.uniform() < exchange) return swap(random);
    for (std::size_t k = 0; k < rungs_.size(); ++k) move(states_[rungs_[k]], coldness_[k]);
  }

 private:
  void swap(Stream& random) {
    const std::size_t k = random.below(rungs_.size() - 1);
    const double gain = states_[rungs_[k + 1]].value() - states_[rungs_[k]].value();
    ++counts_.proposed[k];
    if (!(std::log(random.uniform()) < (coldness_[k] - coldness_[k + 1]) * gain)) return;
    ++counts_.accepted[k];
    std::swap(rungs_[k], rungs_[k + 1]);
  }

  Coldness coldness_;
  std::vector<State> states_;
  // rungs_[k]: the state of the k-th coldness.
  std::vector<std::size_t> rungs_;
  SwapCounts counts_;
};

}  // namespace dagathlon
