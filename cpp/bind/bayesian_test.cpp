#include "dagathlon/test/bayesian_test.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <tuple>

#include "bind.hpp"
#include "columns.hpp"
#include "dagathlon/latent/answer_network.hpp"
#include "dagathlon/latent/claims.hpp"
#include "dagathlon/test/slice_posterior.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

using Question = std::tuple<std::size_t, std::size_t, NodeList>;

void check_question(const Question& question, std::size_t n) {
  const auto& [x, y, given] = question;
  NodeList all = given;
  all.insert(all.end(), {x, y});
  check_nodes(all, n);
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) throw nb::value_error("a variable stands twice");
}

std::unique_ptr<SampledTest> sampled_test(BoundScore& score, double prior) {
  if (!(prior > 0 && prior < 1)) throw nb::value_error("a prior probability between 0 and 1");
  return std::make_unique<SampledTest>(std::make_unique<BayesianTest>(score.plain(), prior), false);
}

template <class Code>
std::unique_ptr<SampledTest> redrawn_test(const Columns<Code>& codes, NodeList arities, double prior, double iss) {
  if (!(prior > 0 && prior < 1)) throw nb::value_error("a prior probability between 0 and 1");
  if (!(iss > 0)) throw nb::value_error("an imaginary sample size above 0");
  DiscreteData data = discrete_data(codes, std::move(arities));
  return std::make_unique<SampledTest>(std::make_unique<SlicePosteriorTest>(std::move(data), prior, iss), true);
}

std::vector<bool> standing_claims(const MarkedGraph& graph, const std::vector<Question>& questions) {
  const StandingClaims claims(graph);
  std::vector<bool> result;
  for (const Question& question : questions) {
    check_question(question, claims.size());
    const auto& [x, y, given] = question;
    result.push_back(claims.separated(x, y, given));
  }
  return result;
}

std::vector<Question> asked(const SampledTest& test) {
  std::vector<Question> result;
  for (const auto& [constraint, answer] : test.answers())
    result.emplace_back(constraint.x, constraint.y, constraint.given);
  return result;
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

std::vector<NodeList> parents_of_answers(const Matrix<const bool>& draws, std::size_t max_parents, double iss) {
  if (!(iss > 0)) throw nb::value_error("an imaginary sample size above 0");
  const std::size_t samples = draws.shape(0);
  std::vector<BitSet> answers(draws.shape(1), BitSet(samples));
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t k = 0; k < answers.size(); ++k)
      if (draws(s, k)) answers[k].set(s);
  const nb::gil_scoped_release release;
  return answer_parents(answers, samples, max_parents, iss);
}

}  // namespace

static void bind_bayesian_test(nb::module_& m) {
  nb::class_<SampledTest, IndependenceTest>(m, "SampledTest", "Answers drawn by the probability of independence.")
      .def("restart", &SampledTest::restart, nb::arg("seed"), "Forgets all answers and draws others.")
      .def_prop_ro("asked", &asked, "The questions since the start: x, y and the given variables.");
  m.def("sampled_test", &sampled_test, nb::arg("score"), nb::arg("prior"));
  m.def("redrawn_test", &redrawn_test<std::uint8_t>, nb::arg("codes"), nb::arg("arities"), nb::arg("prior"),
        nb::arg("iss"), "Answers by the probability of independence in every slice, drawn anew each time.");
  m.def("redrawn_test", &redrawn_test<std::uint16_t>, nb::arg("codes"), nb::arg("arities"), nb::arg("prior"),
        nb::arg("iss"));
  m.def("standing_claims", &standing_claims, nb::arg("graph"), nb::arg("questions"), ReleaseGil(),
        "Whether a graph with circles, read as it stands, separates x and y, for each question.");
  m.def("answer_parents", &parents_of_answers, nb::arg("draws"), nb::arg("max_parents"), nb::arg("iss"),
        "For each column of yes/no answers its parents among those before it.");
  m.def("evaluate_tests", &evaluate, nb::arg("test"), nb::arg("questions"), ReleaseGil(),
        "Statistics and p-values of many tests, which are not counted.");
}

static const Part bayesian_test_part("bayesian_test", bind_bayesian_test);

}  // namespace dagathlon
