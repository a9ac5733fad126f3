// A Markov chain of DAGs as the changes from one saved state to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/mcmc/coupled_chains.hpp"
#include "dagathlon/mcmc/edge_means.hpp"

namespace dagathlon {

// A step may take less than half a microsecond, so only one of several beats.
constexpr std::size_t steps_per_beat = 16;

// How many steps a chain makes, and how many lie between two saved states. The start is saved too,
// after a warm-up that is not; steps that are left over come before the last saved state.
struct ChainLength {
  std::size_t iterations;
  std::size_t stepsave;
  std::size_t warmup = 0;
  // Steps between two looks at the probabilities of edges; 0: no look at all.
  std::size_t look = 0;

  std::size_t saved() const { return iterations / stepsave; }
  // Steps before the s-th saved state, s > 0, since the one before.
  std::size_t steps(std::size_t s) const { return stepsave + (s == saved() ? iterations % stepsave : 0); }
};

// A DAG (row j: the parents of j) and its score.
struct ScoredDag {
  BitMatrix parents;
  double score = 0;
};

class ChainLog {
 public:
  // Over n nodes, with so many states to be saved.
  ChainLog(std::size_t n, std::size_t states) : last_(n), edges_(n, states) {}

  EdgeMeans& edges() { return edges_; }
  const EdgeMeans& edges() const { return edges_; }
  // Of coupled chains.
  SwapCounts swaps;

  // Notes the state from an index on; one like the state before leaves no trace.
  void record(std::size_t index, const ScoredDag& state) {
    length_ = index + 1;
    if (!index_.empty() && state.parents == last_) return;
    index_.push_back(static_cast<std::int64_t>(index));
    score_.push_back(state.score);
    for (std::size_t child = 0; child < last_.size(); ++child) {
      append(added_, state.parents[child], last_[child], child);
      append(removed_, last_[child], state.parents[child], child);
    }
    added_starts_.push_back(static_cast<std::int64_t>(added_.size() / 2));
    removed_starts_.push_back(static_cast<std::int64_t>(removed_.size() / 2));
    last_ = state.parents;
  }

  // States that were recorded, those without a trace too.
  std::size_t length() const { return length_; }
  const std::vector<std::int64_t>& index() const { return index_; }
  const std::vector<double>& score() const { return score_; }
  // Pairs of nodes, from first to second, one row after the other, and where each row starts.
  const std::vector<std::int32_t>& added() const { return added_; }
  const std::vector<std::int32_t>& removed() const { return removed_; }
  const std::vector<std::int64_t>& added_starts() const { return added_starts_; }
  const std::vector<std::int64_t>& removed_starts() const { return removed_starts_; }

 private:
  static void append(std::vector<std::int32_t>& pairs, ConstRow there, ConstRow not_there, std::size_t child) {
    for_each(there, [&](std::size_t parent) {
      if (test(not_there, parent)) return;
      pairs.push_back(static_cast<std::int32_t>(parent));
      pairs.push_back(static_cast<std::int32_t>(child));
    });
  }

  std::size_t length_ = 0;
  BitMatrix last_;
  EdgeMeans edges_;
  std::vector<std::int64_t> index_;
  std::vector<double> score_;
  std::vector<std::int32_t> added_;
  std::vector<std::int32_t> removed_;
  std::vector<std::int64_t> added_starts_{0};
  std::vector<std::int64_t> removed_starts_{0};
};

}  // namespace dagathlon
