// Work that splits: a few threads that do the places of a list side by side.
//
// How many threads a computation may use is said outside, for each thread of the caller, as the pulse is; no
// signature carries it. Whoever splits its work gives each thread a twin of what has buffers, lets every place
// write to memory of its own, and puts the parts together in the order of the places: what comes out is the same
// for any number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

// How many threads a computation of this thread may use; 1 unless somebody has said more.
std::size_t allowed_threads();
// Says so, and tells what it was before.
std::size_t allow_threads(std::size_t threads);

// Threads that live as long as a search does. One of them is the caller's own, which alone ticks: an interrupt or
// a deadline ends the work of all.
class Team {
 public:
  using Work = std::function<void(std::size_t place, std::size_t member)>;

  // No more members than there is ever work for.
  explicit Team(std::size_t most_members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Members are numbered from 0, the caller.
  std::size_t size() const { return helpers_.size() + 1; }

  // Calls work(place, member) for every place; who is free takes the next. Where it throws, the rest is left
  // undone and the first exception goes on to the caller once all members have stopped.
  void each(std::size_t places, const Work& work);

 private:
  void help(std::size_t member);
  void go_on(std::size_t member, const Work& work);
  void fail(std::exception_ptr error);
  void wait_beating();

  std::vector<std::thread> helpers_;
  std::mutex turn_;
  std::condition_variable begun_;
  std::condition_variable ended_;
  // Changed only by who has turn_; read by who cannot wait to be woken.
  std::atomic<std::size_t> round_ = 0;
  std::atomic<std::size_t> busy_ = 0;
  // Guarded by turn_.
  bool over_ = false;
  const Work* work_ = nullptr;
  std::exception_ptr error_;
  pulse::Watch watched_;
  bool stopped_early_ = false;

  std::size_t places_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace dagathlon
