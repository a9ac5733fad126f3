#include "dagathlon/run/team.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

namespace dagathlon {

namespace {

constinit thread_local std::size_t allowed = 1;
constexpr auto between_looks = std::chrono::milliseconds(10);
// To wake a thread takes as long as some work does: for so long it stays awake.
constexpr auto time_awake = std::chrono::microseconds(100);

// More threads than cores only wait for each other, and each has buffers of its own. A small machine may have a few
// more, to try what large ones do. Asked once: the system's answer is in a file.
std::size_t most_threads() {
  static const std::size_t most = std::max<std::size_t>(16, std::thread::hardware_concurrency());
  return most;
}

// Waits for what is about to happen; others may have the core meanwhile.
template <class Happened>
void wait_awake(Happened&& happened) {
  const auto until = pulse::Clock::now() + time_awake;
  while (!happened() && pulse::Clock::now() < until) std::this_thread::yield();
}

// What is done in one place of a list does not split again: its threads would come on top of the others.
class Alone {
 public:
  Alone() : before_(std::exchange(allowed, 1)) {}
  ~Alone() { allowed = before_; }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  std::size_t before_;
};

}  // namespace

std::size_t allowed_threads() { return allowed; }

std::size_t allow_threads(std::size_t threads) { return std::exchange(allowed, std::max<std::size_t>(threads, 1)); }

Team::Team(std::size_t most_members) {
  const std::size_t members = std::min({allowed_threads(), most_members, most_threads()});
  try {
    if (members > 1) helpers_.reserve(members - 1);
    for (std::size_t member = 1; member < members; ++member) helpers_.emplace_back([this, member] { help(member); });
  } catch (const std::system_error&) {
    // The system gives no more threads, by a limit on them or on memory: fewer do the same work.
  } catch (const std::bad_alloc&) {
    // Likewise; those that have begun must not be left behind.
  }
}

Team::~Team() {
  {
    const std::lock_guard lock(turn_);
    over_ = true;
  }
  begun_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Team::each(std::size_t places, const Work& work) {
  if (helpers_.empty() || places < 2) {
    for (std::size_t place = 0; place < places; ++place) work(place, 0);
    return;
  }
  {
    const std::lock_guard lock(turn_);
    work_ = &work;
    places_ = places;
    next_ = 0;
    cancelled_ = false;
    error_ = nullptr;
    stopped_early_ = false;
    watched_ = pulse::watch();
    busy_ = helpers_.size();
    ++round_;
  }
  begun_.notify_all();
  {
    const Alone alone;
    go_on(0, work);
  }
  wait_beating();
  if (error_) std::rethrow_exception(error_);
  if (stopped_early_) pulse::stop_early();
}

// The caller beats while it waits; the last to stop may take as long as one place.
void Team::wait_beating() {
  wait_awake([this] { return busy_ == 0; });
  std::unique_lock lock(turn_);
  while (!ended_.wait_for(lock, between_looks, [this] { return busy_ == 0; })) {
    if (cancelled_) continue;
    lock.unlock();
    try {
      pulse::look();
    } catch (...) {
      fail(std::current_exception());
    }
    lock.lock();
  }
}

void Team::help(std::size_t member) {
  std::size_t seen = 0;
  std::unique_lock lock(turn_);
  while (true) {
    lock.unlock();
    wait_awake([&] { return round_ != seen; });
    lock.lock();
    begun_.wait(lock, [&] { return over_ || round_ != seen; });
    if (over_) return;
    seen = round_;
    pulse::watch() = watched_.for_helper(cancelled_);
    const Work& work = *work_;
    lock.unlock();
    go_on(member, work);
    lock.lock();
    stopped_early_ = stopped_early_ || pulse::watch().stopped_early != watched_.stopped_early;
    if (--busy_ == 0) ended_.notify_one();
  }
}

void Team::go_on(std::size_t member, const Work& work) {
  try {
    for (std::size_t place = next_++; place < places_ && !cancelled_; place = next_++) work(place, member);
  } catch (const pulse::Cancelled&) {
    // The caller may be a helper itself, of whoever does not need its work any more.
    if (member == 0) fail(std::current_exception());
  } catch (...) {
    fail(std::current_exception());
  }
}

void Team::fail(std::exception_ptr error) {
  const std::lock_guard lock(turn_);
  if (!error_) error_ = std::move(error);
  cancelled_ = true;
}

}  // namespace dagathlon
