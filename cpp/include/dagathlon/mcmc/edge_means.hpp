// Means of the probabilities of edges over stretches of a Markov chain.
//
// A state of a chain over partitions or orders stands for many DAGs, and the probabilities of edges
// over all of them are known: their mean has less noise than the edges of one DAG drawn from each.
// A chain is cut into a few stretches, so that a burn-in can be left out afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dagathlon {

class EdgeMeans {
 public:
  static constexpr std::size_t most_stretches = 50;

  // Of a chain over n nodes with so many states to be saved.
  EdgeMeans(std::size_t n, std::size_t states)
      : n_(n), states_(states), stretches_(std::min(states, most_stretches)), sums_(n * n) {}

  // One more look at the chain: `add` adds the probability of each edge to a matrix, row by row.
  template <class Add>
  void look(Add&& add) {
    std::forward<Add>(add)(sums_.data());
    ++looks_;
  }

  // After so many saved states: ends a stretch where one is to end.
  void saved(std::size_t states) {
    if (states * stretches_ >= (ends_.size() + 1) * states_) close(states);
  }
  // At the end of a chain of so many saved states, which may have come early.
  void close(std::size_t states) {
    if (looks_ == 0 || (!ends_.empty() && ends_.back() >= static_cast<std::int64_t>(states))) return;
    for (const double sum : sums_) means_.push_back(sum / static_cast<double>(looks_));
    ends_.push_back(static_cast<std::int64_t>(states));
    sums_.assign(n_ * n_, 0.0);
    looks_ = 0;
  }

  // A matrix for each stretch, one after the other, and the number of states at which each ends.
  const std::vector<double>& means() const { return means_; }
  const std::vector<std::int64_t>& ends() const { return ends_; }

 private:
  std::size_t n_;
  std::size_t states_;
  std::size_t stretches_;
  std::size_t looks_ = 0;
  std::vector<double> sums_;
  std::vector<double> means_;
  std::vector<std::int64_t> ends_;
};

}  // namespace dagathlon
