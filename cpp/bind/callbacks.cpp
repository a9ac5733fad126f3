// Tests of independence and scores whose numbers a function in Python computes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <limits>
#include <optional>
#include <utility>

#include "bind.hpp"
#include "dagathlon/test/independence.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

using PValue = nb::typed<nb::callable, std::optional<double>(std::size_t, std::size_t, NodeList)>;
using LocalScore = nb::typed<nb::callable, double(std::size_t, NodeList)>;

// A function in Python, which may be called and destroyed in threads that do not hold the GIL.
class Callback {
 public:
  explicit Callback(nb::callable function) : function_(std::move(function)) {}
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  ~Callback() {
    const nb::gil_scoped_acquire locked;
    function_.reset();
  }

  // Calls read(result). Exceptions of the function go on as they are, but for a deadline that came inside it.
  template <class Read, class... Arguments>
  auto operator()(Read&& read, const Arguments&... arguments) const {
    pulse::look();
    const nb::gil_scoped_acquire locked;
    try {
      return read(function_(nb::cast(arguments)...));
    } catch (nb::python_error& error) {
      if (error.matches(nb::module_::import_("dagathlon.errors").attr("OutOfTimeError"))) throw pulse::OutOfTime();
      throw;
    }
  }

 private:
  nb::callable function_;
};

NodeList as_list(Nodes nodes) { return {nodes.begin(), nodes.end()}; }

// It has no twin, so that searches ask it from one thread.
class CallbackTest final : public IndependenceTest {
 public:
  CallbackTest(std::size_t size, nb::callable p_value) : size_(size), p_value_(std::move(p_value)) {}
  std::size_t size() const override { return size_; }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override {
    const auto read = [](const nb::object& found) -> TestResult {
      constexpr double none = std::numeric_limits<double>::quiet_NaN();
      if (found.is_none()) return {none, 0, 1, false};
      return {none, 0, nb::cast<double>(found), true};
    };
    return p_value_(read, x, y, as_list(given));
  }

 private:
  std::size_t size_;
  Callback p_value_;
};

// Likewise.
class CallbackScore final : public Score {
 public:
  CallbackScore(std::size_t size, nb::callable local) : size_(size), local_(std::move(local)) {}
  std::size_t size() const override { return size_; }

  double local(std::size_t child, Nodes parents) override {
    return local_([](const nb::object& found) { return nb::cast<double>(found); }, child, as_list(parents));
  }

 private:
  std::size_t size_;
  Callback local_;
};

}  // namespace

static void bind_callbacks(nb::module_& m) {
  m.def(
      "callback_test",
      [](std::size_t size, PValue p_value) -> std::unique_ptr<IndependenceTest> {
        return std::make_unique<CallbackTest>(size, std::move(p_value));
      },
      nb::arg("size"), nb::arg("p_value"),
      "A test that calls p_value(x, y, given), which gives a number, or None where the data cannot answer.");
  m.def(
      "callback_score",
      [](std::size_t size, LocalScore local) {
        return std::make_shared<BoundScore>(std::make_shared<CallbackScore>(size, std::move(local)));
      },
      nb::arg("size"), nb::arg("local"), "A score that calls local(child, parents).");
}

static const Part callbacks_part("callbacks", bind_callbacks);

}  // namespace dagathlon
