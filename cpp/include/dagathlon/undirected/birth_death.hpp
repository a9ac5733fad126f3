// Markov chains over Gaussian graphical models: births and deaths of edges in continuous time (Mohammadi and
// Wit 2015), and reversible jumps.
//
// A sweep changes edges and then draws the precision matrix. Both kinds of sweep leave the posterior of graph
// and precision matrix as it is, so that anything else that does, such as drawing latent data, may come between
// two sweeps. For births and deaths this means that a sweep lasts a time that does not depend on the state:
// drawing the precision matrix anew at the very moments of the jumps would favour graphs that are left fast.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "dagathlon/undirected/gaussian_graph.hpp"

namespace dagathlon {

class BirthDeath {
 public:
  // Sweeps have about so many jumps each.
  explicit BirthDeath(double jumps) : jumps_(jumps) {}

  // As long as this is on, the duration of a sweep follows the rates; afterwards it stays.
  void tune(bool on) { tuning_ = on; }
  double duration() const { return jumps_ / mean_rate_; }

  // Calls visit(time) for each graph with the time that it is expected to last, before it is changed.
  template <class Visit>
  void sweep(GaussianGraph& graph, Stream& random, Visit&& visit) {
    find_rates(graph);
    if (tuning_ || tuned_ == 0) note_rate();
    double left = duration();
    for (;;) {
      visit(total_ > 0 ? -std::expm1(-total_ * left) / total_ : left);
      left += std::log(1 - random.uniform()) / total_;
      // A rate of 0 ends here too.
      if (!(left > 0)) break;
      const auto [i, j] = choose(random);
      if (graph.change(i, j, random)) find_rates(graph);
    }
    graph.refresh(random);
  }

 private:
  void find_rates(const GaussianGraph& graph);
  void note_rate();
  std::pair<std::size_t, std::size_t> choose(Stream& random) const;

  double jumps_;
  bool tuning_ = true;
  std::size_t tuned_ = 0;
  double mean_rate_ = 1;
  // Rate of each pair, by row, the sums of rows, and of all.
  std::size_t n_ = 0;
  std::vector<double> rates_, rows_;
  double total_ = 0;
};

class ReversibleJump {
 public:
  // Sweeps propose so many pairs each.
  explicit ReversibleJump(std::size_t proposals) : proposals_(proposals) {}

  void sweep(GaussianGraph& graph, Stream& random);

 private:
  std::size_t proposals_;
};

}  // namespace dagathlon
