#include "dagathlon/bayesian_test.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <tuple>

#include "bind.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

using Question = std::tuple<std::size_t, std::size_t, NodeList>;

std::unique_ptr<SampledTest> sampled_test(BoundScore& score, double prior) {
  if (!(prior > 0 && prior < 1)) throw nb::value_error("a prior probability between 0 and 1");
  return std::make_unique<SampledTest>(score.plain(), prior);
}

std::vector<Question> asked(const SampledTest& test) {
  std::vector<Question> result;
  for (const auto& [constraint, answer] : test.answers())
    result.emplace_back(constraint.x, constraint.y, constraint.given);
  return result;
}

void check_question(const Question& question, std::size_t n) {
  const auto& [x, y, given] = question;
  NodeList all = given;
  all.insert(all.end(), {x, y});
  check_nodes(all, n);
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) throw nb::value_error("a variable stands twice");
}

std::tuple<std::vector<double>, std::vector<double>> evaluate(IndependenceTest& test,
                                                              const std::vector<Question>& questions) {
  std::vector<double> statistics, p_values;
  for (const Question& question : questions) {
    check_question(question, test.size());
    const auto& [x, y, given] = question;
    const TestResult result = test.evaluate(x, y, given);
    statistics.push_back(result.statistic);
    p_values.push_back(result.p_value);
  }
  return {std::move(statistics), std::move(p_values)};
}

}  // namespace

static void bind_bayesian_test(nb::module_& m) {
  nb::class_<SampledTest, IndependenceTest>(m, "SampledTest", "Answers drawn by the probability of independence.")
      .def("restart", &SampledTest::restart, nb::arg("seed"), "Forgets all answers and draws others.")
      .def_prop_ro("asked", &asked, "The questions since the start: x, y and the given variables.");
  m.def("sampled_test", &sampled_test, nb::arg("score"), nb::arg("prior"));
  m.def("evaluate_tests", &evaluate, nb::arg("test"), nb::arg("questions"), ReleaseGil(),
        "Statistics and p-values of many tests, which are not counted.");
}

static const Part part("bayesian_test", bind_bayesian_test);

}  // namespace dagathlon
