// A Markov chain of undirected graphs as the changes from one saved state to the next.
//
// A chain tells it every edge it turns, so that a step costs as much as it changes. Between two saved
// states nothing is lost: how long each edge was there in all is kept, and its mean over stretches of the
// chain is an estimate of the probability of the edge with less noise than the saved graphs have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

class UndirectedLog {
 public:
  enum class Means : bool { no, yes };
  // Whether states last one step each, or as long as the chain says.
  enum class Time : bool { steps, continuous };

  // Where every step is saved, the saved graphs tell all there is to know of edges.
  static Means means_for(const ChainLength& length) { return length.stepsave > 1 ? Means::yes : Means::no; }

  // Over n nodes, with so many states to be saved; the graph is empty at first.
  UndirectedLog(std::size_t n, std::size_t states, Means means, Time time = Time::steps);

  std::size_t size() const { return now_.size(); }
  // The graph where the chain is now: row i holds the nodes adjacent to i.
  const BitMatrix& graph() const { return now_; }

  // Adds the edge i - j where it is not there, and removes it where it is.
  void toggle(std::size_t i, std::size_t j);
  // Turns all edges in which the graph differs from another one.
  void become(const BitMatrix& adjacent);
  // The graph of now lasts so long: 1 for a step, or the time it is waited for the next one.
  void stay(double duration = 1) { clock_ += duration; }
  // Forgets how long all has lasted, at the end of a warm-up.
  void start();

  // Notes the graph as the state from an index on; one like the state before leaves no trace.
  void record(std::size_t index, double score);
  // After the last state: ends what is not ended.
  void close();

  // States that were recorded, those without a trace too.
  std::size_t length() const { return length_; }
  const std::vector<std::int64_t>& index() const { return index_; }
  const std::vector<double>& score() const { return score_; }
  bool continuous() const { return time_ == Time::continuous; }
  // When each row begins, and when the chain ends; only in continuous time.
  const std::vector<double>& times() const { return times_; }
  double end() const { return clock_; }
  // Pairs of nodes, the smaller first, one row after the other, and where each row starts.
  const std::vector<std::int32_t>& added() const { return added_; }
  const std::vector<std::int32_t>& removed() const { return removed_; }
  const std::vector<std::int64_t>& added_starts() const { return added_starts_; }
  const std::vector<std::int64_t>& removed_starts() const { return removed_starts_; }
  // A matrix for each stretch, and how long each lasts: states, or time.
  const std::vector<double>& edge_means() const { return means_; }
  const std::vector<double>& edge_lengths() const { return lengths_; }

 private:
  std::size_t cell(std::size_t i, std::size_t j) const { return i < j ? i * size() + j : j * size() + i; }
  void end_stretch();

  std::size_t states_;
  std::size_t stretches_ = 0;
  Time time_;
  BitMatrix now_;
  BitMatrix saved_;
  // Pairs that were turned since the last saved state, each once.
  BitMatrix touched_;
  std::vector<std::pair<std::size_t, std::size_t>> turned_;
  double clock_ = 0;
  double stretch_start_ = 0;
  std::size_t stretch_states_ = 0;
  // Since when an edge is there, and how long it was there before, in this stretch.
  std::vector<double> since_;
  std::vector<double> lasted_;
  std::size_t length_ = 0;
  std::vector<std::int64_t> index_;
  std::vector<double> score_;
  std::vector<double> times_;
  std::vector<std::int32_t> added_;
  std::vector<std::int32_t> removed_;
  std::vector<std::int64_t> added_starts_{0};
  std::vector<std::int64_t> removed_starts_{0};
  std::vector<double> means_;
  std::vector<double> lengths_;
};

// The run of a chain: a warm-up, then steps and saved states. `step(done, log)` makes a step and tells the
// log what it turned; `score()` is the log weight of where it is. At the deadline the chain ends where it is,
// with at least one state. The log holds the graph at which the chain starts.
template <class Step, class Score>
UndirectedLog run_undirected(UndirectedLog log, const ChainLength& length, Step&& step, Score&& score) {
  const std::size_t all = length.warmup + length.iterations;
  std::size_t done = 0;
  const auto advance = [&] {
    if (done % steps_per_beat == 0) pulse::progress(done, all);
    step(done++, log);
  };
  if (length.warmup > 0)
    pulse::until_deadline([&] {
      while (done < length.warmup) advance();
    });
  log.start();
  log.record(0, score());
  pulse::until_deadline([&] {
    for (std::size_t s = 1; s <= length.saved(); ++s) {
      for (std::size_t k = 0; k < length.steps(s); ++k) {
        advance();
        if (!log.continuous()) log.stay();
      }
      log.record(s, score());
    }
  });
  log.close();
  return log;
}

}  // namespace dagathlon
