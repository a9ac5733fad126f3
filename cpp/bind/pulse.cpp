#include "dagathlon/run/pulse.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>

#include "bind.hpp"
#include "dagathlon/stats/constants.hpp"

namespace dagathlon {

namespace {

constexpr double forever = 1e9;

// Processor time of this process, in seconds.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The processor time at which the computation of this thread has to end. It is looked at when the
// pulse ticks, and then makes that moment the deadline, so that the loops need not know of it.
thread_local double processor_deadline = infinity;

// Signals are the main thread's; in another this tells of progress alone.
void tick(pulse::Watch& watch) {
  if (processor_deadline < infinity && processor_time() >= processor_deadline)
    watch.deadline = std::min(watch.deadline, pulse::Clock::now());
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (watch.listener) nb::borrow<nb::callable>(static_cast<PyObject*>(watch.listener))(watch.done, watch.total);
}

// The watch that a new one replaces, with what the new one has of its own.
struct Replaced {
  pulse::Watch before;
  bool own_deadline = false;
  nb::object listener;
  double processor_deadline = infinity;
};

Replaced begin_watch(double seconds, nb::object listener, double processor_seconds) {
  pulse::Watch& now = pulse::watch();
  Replaced replaced{now, false, listener, processor_deadline};
  const auto own = [&] {
    replaced.own_deadline = true;
    now.stopped_early = false;
    now.parts_of_deadline = 0;
  };
  if (processor_seconds < forever) {
    const double end = processor_time() + processor_seconds;
    if (end < processor_deadline) {
      processor_deadline = end;
      own();
    }
  }
  if (seconds < forever) {
    const std::chrono::duration<double> left(std::max(seconds, 0.0));
    const auto deadline = pulse::Clock::now() + std::chrono::duration_cast<pulse::Clock::duration>(left);
    // Of two deadlines the nearer one counts.
    if (deadline < now.deadline) {
      now.deadline = deadline;
      own();
    }
  }
  if (!listener.is_none()) {
    now.listener = listener.ptr();
    now.parts_of_progress = now.done = now.total = 0;
  }
  return replaced;
}

// Whether a search inside the watch ended early.
bool end_watch(const Replaced& replaced) {
  pulse::Watch& now = pulse::watch();
  const pulse::Watch inner = now;
  now = replaced.before;
  processor_deadline = replaced.processor_deadline;
  if (!replaced.own_deadline) now.stopped_early = inner.stopped_early;
  if (replaced.listener.is_none()) {
    now.done = inner.done;
    now.total = inner.total;
  }
  return inner.stopped_early;
}

void beat_now(std::size_t done, std::size_t total) {
  if (done > 0 || total > 0) pulse::progress(done, total);
  pulse::look();
}

double time_left() {
  const double processor_left = processor_deadline < infinity ? processor_deadline - processor_time() : infinity;
  const pulse::Clock::time_point deadline = pulse::watch().deadline;
  if (deadline == pulse::Clock::time_point::max()) return processor_left;
  return std::min(processor_left, std::chrono::duration<double>(deadline - pulse::Clock::now()).count());
}

// What threads in Python are watched by that do parts of a computation of the thread which made this.
class SharedWatch {
 public:
  void begin() const { pulse::watch() = of_caller_.for_helper(cancelled_); }
  void cancel() { cancelled_ = true; }
  // A search of this thread has come to an end, perhaps early.
  void note_end() {
    if (pulse::watch().stopped_early != of_caller_.stopped_early) stopped_early_ = true;
  }
  bool stopped_early() const { return stopped_early_; }

 private:
  pulse::Watch of_caller_ = pulse::watch();
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> stopped_early_ = false;
};

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const pulse::OutOfTime& error) {
    const nb::object type = nb::module_::import_("dagathlon.errors").attr("OutOfTimeError");
    PyErr_SetString(type.ptr(), error.what());
  } catch (const pulse::Cancelled& error) {
    const nb::object type = nb::module_::import_("dagathlon.pulse").attr("CancelledError");
    PyErr_SetString(type.ptr(), error.what());
  }
}

}  // namespace

static void bind_pulse(nb::module_& m) {
  pulse::on_tick(&tick);
  nb::register_exception_translator(&translate);
  nb::class_<Replaced>(m, "ReplacedWatch", "The watch outside a new one.");
  nb::class_<SharedWatch>(m, "SharedWatch", "What threads are watched by that help this one.")
      .def(nb::init<>())
      .def("begin", &SharedWatch::begin, "Said in a helper's thread.")
      .def("cancel", &SharedWatch::cancel, "Whatever helpers still do, they stop.")
      .def("note_end", &SharedWatch::note_end, "Said after each part, by whoever did it.")
      .def_prop_ro("stopped_early", &SharedWatch::stopped_early, "Whether a part ended at the deadline.");
  m.def("begin_watch", &begin_watch, nb::arg("seconds"), nb::arg("listener").none(),
        nb::arg("processor_seconds") = infinity);
  m.def("end_watch", &end_watch, nb::arg("replaced"), "Whether a search inside ended at the deadline.");
  m.def("beat", &beat_now, nb::arg("done"), nb::arg("total"));
  m.def("time_left", &time_left, "Seconds until the deadline; infinity without one.");
  m.def("out_of_time", &pulse::out_of_time);
  m.def("stop_early", &pulse::stop_early);
  m.def("enter_part", &pulse::enter_part);
  m.def("leave_part", &pulse::leave_part);
}

static const Part pulse_part("pulse", bind_pulse);

}  // namespace dagathlon
