#include "dagathlon/run/pulse.hpp"

#include <atomic>

namespace dagathlon::pulse {

namespace detail {
constinit thread_local int beats_left = 1;
}

namespace {

std::atomic<void (*)(Watch&)> installed_tick = nullptr;
thread_local Clock::time_point next_tick{};
// A tick may run anything, even what beats; that must not tick again.
thread_local bool is_ticking = false;

struct Ticking {
  Ticking() { is_ticking = true; }
  ~Ticking() { is_ticking = false; }
  Ticking(const Ticking&) = delete;
  Ticking& operator=(const Ticking&) = delete;
};

bool has_come(const Watch& watch, Clock::time_point now) { return now >= watch.deadline; }

}  // namespace

Watch& watch() {
  thread_local Watch of_thread;
  return of_thread;
}

void on_tick(void (*tick)(Watch&)) { installed_tick = tick; }

void look() {
#ifndef DAGATHLON_NO_PULSE
  detail::beats_left = beats_per_look;
  if (is_ticking) return;
  const Clock::time_point now = Clock::now();
  Watch& current = watch();
  if (has_come(current, now) && !current.stopped_early) throw OutOfTime();
  if (current.cancelled) {
    if (current.cancelled->load(std::memory_order_relaxed)) throw Cancelled();
    return;
  }
  if (now < next_tick) return;
  next_tick = now + tick_interval;
  const auto tick = installed_tick.load(std::memory_order_relaxed);
  if (!tick) return;
  const Ticking ticking;
  tick(current);
#endif
}

void progress([[maybe_unused]] std::size_t done, [[maybe_unused]] std::size_t total) {
#ifndef DAGATHLON_NO_PULSE
  Watch& current = watch();
  if (current.parts_of_progress == 0) {
    current.done = done;
    current.total = total;
  }
#endif
  beat();
}

bool out_of_time() {
  Watch& current = watch();
  if (current.stopped_early) return true;
  if (current.deadline == Clock::time_point::max() || !has_come(current, Clock::now())) return false;
  stop_early();
  return true;
}

void stop_early() {
  Watch& current = watch();
  if (current.parts_of_deadline > 0) throw OutOfTime();
  current.stopped_early = true;
}

void enter_part() {
  ++watch().parts_of_deadline;
  ++watch().parts_of_progress;
}

void leave_part() {
  --watch().parts_of_deadline;
  --watch().parts_of_progress;
}

}  // namespace dagathlon::pulse
