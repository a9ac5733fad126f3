// Tests of conditional independence: the question all constraint-based learners ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/nodes.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

struct TestResult {
  double statistic;
  double df;
  double p_value;
  // False when the data cannot answer: too few rows, a constant variable, a variable that is a
  // function of the given ones. The p-value is then 1: no evidence of dependence.
  bool defined = true;
};

// Which sets to try for x and y: the subsets of `candidates` with `size` members, in the order of
// their places in the list, but for those inside `tried`.
struct SubsetSearch {
  Nodes candidates;
  std::size_t size;
  ConstRow tried;
};

// Which sets to try: all subsets of the candidates with `smallest` to `largest` members.
struct SetSizes {
  Nodes candidates;
  std::size_t smallest;
  std::size_t largest;
};

// Nodes whose pairs are best asked about by one thread, one after the other.
inline constexpr std::size_t strip_height = 64;

// The neighbours of a node, in the order in which they are tried, and a number that a test keeps of each.
struct Around {
  std::span<const std::uint32_t> nodes;
  std::span<const double> kept;
};

// Searches for sets of one variable, for tests on so many variables that the memory of a question costs more than its
// answer: what a question is about is kept side by side, and questions about the same second node follow each other.
class SingleSearch {
 public:
  // The numbers to be kept of neighbours of x.
  virtual void keep(std::size_t x, std::span<const std::uint32_t> nodes, std::span<double> to) const = 0;
  // The first neighbour of x, but for y and those in `tried`, that makes x and y independent, or no_node. Counts like
  // IndependenceTest::separator.
  virtual std::size_t single_separator(std::size_t x, std::size_t y, const Around& around, ConstRow tried,
                                       double alpha) = 0;

 protected:
  ~SingleSearch() = default;
};

// The outcome of tests given one of some nodes each: the highest p-value below alpha, and the place of the first node
// given which it is not below, if there is one; those behind it are not asked about.
struct GivenOne {
  double highest = 0;
  std::size_t separating = no_node;
};

// A capability of tests that answer questions about many sets in less time than one by one. Counts and answers are those
// of IndependenceTest's functions of the same names.
class SetQuestions {
 public:
  virtual GivenOne given_one(std::size_t x, std::size_t y, Nodes nodes, double alpha) = 0;
  virtual bool separable(std::size_t x, std::size_t y, const SetSizes& sets, double alpha) = 0;
  virtual double weakest(std::size_t x, std::size_t y, std::size_t with, const SubsetSearch& search, double alpha) = 0;
  virtual std::optional<std::vector<std::size_t>> separator(std::size_t x, std::size_t y, const SubsetSearch& search,
                                                            double alpha) = 0;

 protected:
  ~SetQuestions() = default;
};

// One per data set and thread: a test keeps buffers, and counts how often it was asked.
class IndependenceTest {
 public:
  virtual ~IndependenceTest() = default;

  virtual std::size_t size() const = 0;

  // Another test of the same data, for another thread: the same answers in any order. Null where there is none.
  std::unique_ptr<IndependenceTest> twin() const {
    std::unique_ptr<IndependenceTest> made = make_twin();
    if (made) made->undefined_is_independent = undefined_is_independent;
    return made;
  }
  // Takes over what a twin has counted.
  void adopt(IndependenceTest& twin) {
    calls_ += std::exchange(twin.calls_, 0);
    undefined_ += std::exchange(twin.undefined_, 0);
  }

  TestResult test(std::size_t x, std::size_t y, Nodes given) {
    ++calls_;
    beat(given);
    const TestResult result = run(x, y, given);
    if (!result.defined) ++undefined_;
    return result;
  }
  // The result of a test that was made before; it does not count again.
  TestResult evaluate(std::size_t x, std::size_t y, Nodes given) {
    beat(given);
    return run(x, y, given);
  }

  // Whether independence is accepted at a level of significance: the p-value reaches alpha. What
  // cannot be tested counts as `undefined_is_independent` says.
  bool independent(std::size_t x, std::size_t y, Nodes given, double alpha) {
    ++calls_;
    beat(given);
    return accepts(x, y, given, alpha);
  }

  // The p-value where it is below alpha; otherwise some value that is not, found without the p-value where a
  // decision is cheaper.
  double association(std::size_t x, std::size_t y, Nodes given, double alpha) {
    ++calls_;
    beat(given);
    const TestResult result = run_below(x, y, given, alpha);
    if (!result.defined) ++undefined_;
    return result.p_value;
  }

  // P-values of x and y given one of the nodes each.
  GivenOne given_one(std::size_t x, std::size_t y, Nodes nodes, double alpha);

  // Whether one of the sets makes x and y independent; small ones are asked first, and none after it.
  bool separable(std::size_t x, std::size_t y, const SetSizes& sets, double alpha);

  // The highest p-value of x and y given `with` and each set of the search; one that reaches alpha ends it.
  double weakest(std::size_t x, std::size_t y, std::size_t with, const SubsetSearch& search, double alpha);

  // The first set of the search that makes x and y independent.
  std::optional<std::vector<std::size_t>> separator(std::size_t x, std::size_t y, const SubsetSearch& search,
                                                    double alpha);

  // Capabilities; null where a test has no faster way than one question after the other.
  virtual SetQuestions* set_questions() { return nullptr; }
  virtual SingleSearch* single_search() { return nullptr; }

  std::size_t calls() const { return calls_; }
  void reset_calls() { calls_ = 0; }
  // How many of them the data could not answer.
  std::size_t undefined() const { return undefined_; }

  // Whether a search should go on to sets of this size. Where a question that the data cannot answer
  // counts as dependence its edge stays, and the sets of its neighbours would be tried without end:
  // once there was such a question, sets stay within `untestable_order`. Remembers that it said no.
  bool worth_trying(std::size_t size) {
    const bool hopeless = size > untestable_order && undefined_ > 0 && !undefined_is_independent;
    bounded_ = bounded_ || hopeless;
    return !hopeless;
  }
  bool bounded() const { return bounded_; }
  // Whether it may come to say no.
  bool may_give_up() const { return !undefined_is_independent && untestable_order != no_node; }

  bool undefined_is_independent = true;
  std::size_t untestable_order = no_node;

 protected:
  virtual TestResult run(std::size_t x, std::size_t y, Nodes given) = 0;
  virtual std::unique_ptr<IndependenceTest> make_twin() const { return nullptr; }
  // Overridden where a decision is cheaper than a p-value.
  virtual bool accepts(std::size_t x, std::size_t y, Nodes given, double alpha) {
    return verdict(run(x, y, given), alpha);
  }
  // Likewise for association().
  virtual TestResult run_below(std::size_t x, std::size_t y, Nodes given, double /*alpha*/) { return run(x, y, given); }
  bool verdict(const TestResult& result, double alpha) {
    return result.defined ? result.p_value >= alpha : unanswered();
  }
  // The answers to questions about many sets by one test after another.
  GivenOne given_each(std::size_t x, std::size_t y, Nodes nodes, double alpha);
  bool separable_by_size(std::size_t x, std::size_t y, const SetSizes& sets, double alpha);
  double weakest_of_each(std::size_t x, std::size_t y, std::size_t with, const SubsetSearch& search, double alpha);

  // The answer to a question that the data cannot answer.
  bool unanswered() {
    ++undefined_;
    return undefined_is_independent;
  }

  std::size_t calls_ = 0;

 private:
  // Conditioning on k variables takes about k³ operations with numbers.
  static void beat(Nodes given) { pulse::beat(given.size() * given.size() * given.size()); }

  std::size_t undefined_ = 0;
  bool bounded_ = false;
};

// Calls visit(subset) for the subsets of a search until it says true; tells whether it did.
bool any_subset(const SubsetSearch& search, const std::function<bool(Nodes)>& visit);

}  // namespace dagathlon
