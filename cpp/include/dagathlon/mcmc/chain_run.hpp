// The run of a Markov chain: a warm-up, then steps, looks at the edges and saved states.
#pragma once

#include <cstddef>

#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

// With more nodes a step over all their parent sets may take milliseconds.
constexpr std::size_t slow_nodes = 32;

// Calls step(number of steps before), look(matrix) as often as the length says, and save(), which gives
// the DAG to be recorded. At the deadline the chain ends where it is, with at least one state.
template <class Step, class Look, class Save>
ChainLog run_chain(std::size_t n, const ChainLength& length, Step&& step, Look&& look, Save&& save) {
  ChainLog log(n, length.saved() + 1);
  const std::size_t all = length.warmup + length.iterations;
  std::size_t done = 0;
  const auto advance = [&] {
    if (done % steps_per_beat == 0) pulse::progress(done, all);
    if (n > slow_nodes) pulse::look();
    step(done++);
  };
  const auto record = [&](std::size_t s) {
    log.record(s, save());
    if (length.look == 0) return;
    log.edges().look(look);
    log.edges().saved(s + 1);
  };
  if (length.warmup > 0)
    pulse::until_deadline([&] {
      while (done < length.warmup) advance();
    });
  record(0);
  pulse::until_deadline([&] {
    for (std::size_t s = 1; s <= length.saved(); ++s) {
      for (std::size_t i = 0; i < length.steps(s); ++i) {
        advance();
        if (length.look > 0 && (i + 1) % length.look == 0) log.edges().look(look);
      }
      record(s);
    }
  });
  log.edges().close(log.length());
  return log;
}

}  // namespace dagathlon
