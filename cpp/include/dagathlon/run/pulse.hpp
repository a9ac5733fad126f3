// The pulse of a long computation: what every loop that may run for long calls, so that whoever waits
// can interrupt it, see how far it is, and set it a deadline.
//
// Each thread has one pulse, so no signature carries it. A step of about a microsecond calls beat(),
// which counts; one that may take a millisecond calls look(), which reads the clock. Every 50 ms the
// pulse ticks: the bindings have installed what happens then. It may throw, and so may beat(), look()
// and progress(): a computation unwinds, and whoever holds a result so far catches OutOfTime by
// until_deadline().
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

namespace dagathlon::pulse {

using Clock = std::chrono::steady_clock;

constexpr auto tick_interval = std::chrono::milliseconds(50);

// Beats between two looks at the clock. So few that steps of a few milliseconds, counted by mistake,
// still answer in time; so many that a look costs less than a nanosecond per beat.
constexpr int beats_per_look = 32;

struct OutOfTime : std::exception {
  const char* what() const noexcept override { return "the time limit came before there was a result"; }
};

// What a helper's beat throws when the work that it has a part of has failed elsewhere.
struct Cancelled : std::exception {
  const char* what() const noexcept override { return "another thread ended the computation"; }
};

// What one thread's computation is watched by.
struct Watch {
  Clock::time_point deadline = Clock::time_point::max();
  // Whether a search has ended because of the deadline and given its best: from then on nothing
  // throws, so that the result can be finished.
  bool stopped_early = false;
  // How deep we are in parts of a larger computation, since the deadline and since the listener were
  // set: the best so far of a part is no result, and its progress is not that of the whole.
  std::size_t parts_of_deadline = 0;
  std::size_t parts_of_progress = 0;
  std::size_t done = 0;
  std::size_t total = 0;
  // Who is told of progress; the bindings know what this is.
  void* listener = nullptr;
  // Of a thread that helps another: whether to stop. Its caller ticks for both.
  const std::atomic<bool>* cancelled = nullptr;

  // What a thread is watched by that does a part of this computation.
  Watch for_helper(const std::atomic<bool>& stop) const {
    Watch result = *this;
    result.listener = nullptr;
    result.cancelled = &stop;
    return result;
  }
};

// The watch of this thread.
Watch& watch();

// What happens at a tick, for all threads; nothing by default.
void on_tick(void (*tick)(Watch&));

namespace detail {
extern constinit thread_local int beats_left;
}

// Reads the clock; throws OutOfTime after the deadline, or whatever a tick throws.
void look();

// A step of very many elementary operations counts for as many beats as it is long.
inline void beat([[maybe_unused]] std::size_t operations = 0) {
#ifndef DAGATHLON_NO_PULSE
  constexpr std::size_t operations_per_beat = std::size_t{1} << 16;
  const std::size_t beats = 1 + operations / operations_per_beat;
  detail::beats_left -= static_cast<int>(beats < beats_per_look ? beats : beats_per_look);
  if (detail::beats_left <= 0) look();
#endif
}

// A beat that says how much is done; a total of 0 is an unknown one.
void progress(std::size_t done, std::size_t total = 0);

// For searches at a point where their best so far is at hand: whether to end now, because the deadline
// has come. Throws OutOfTime where this is only part of a larger computation.
bool out_of_time();

// Notes that a search ended early; throws OutOfTime where it was only a part.
void stop_early();

// Runs a search that leaves its best so far behind, unless the deadline has come before; whether it
// came to its end.
template <class Search>
bool until_deadline(Search&& search) {
  if (out_of_time()) return false;
  try {
    std::forward<Search>(search)();
    return true;
  } catch (const OutOfTime&) {
    stop_early();
    return false;
  }
}

// What runs between these two is a part of a larger computation.
void enter_part();
void leave_part();

// The same for as long as it lives.
class Part {
 public:
  Part() { enter_part(); }
  ~Part() { leave_part(); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
};

}  // namespace dagathlon::pulse
