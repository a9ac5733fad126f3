#include "dagathlon/test/conditional_gaussian_test.hpp"
#include "dagathlon/test/independence.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <map>
#include <string>
#include <tuple>

#include "bind.hpp"
#include "columns.hpp"
#include "dagathlon/test/block_kernel_test.hpp"
#include "dagathlon/test/degenerate_gaussian_test.hpp"
#include "dagathlon/test/discrete_test.hpp"
#include "dagathlon/test/fourier_test.hpp"
#include "dagathlon/test/gaussian_test.hpp"
#include "dagathlon/test/kernel_test.hpp"
#include "dagathlon/test/mixed_test.hpp"
#include "dagathlon/test/neighbour_test.hpp"
#include "dagathlon/test/oracle_test.hpp"
#include "dagathlon/test/permutation_test.hpp"
#include "dagathlon/test/score_test.hpp"
#include "dagathlon/test/wide_gaussian_test.hpp"
#include "score.hpp"

namespace dagathlon {

namespace {

using TestPointer = std::unique_ptr<IndependenceTest>;

const std::map<std::string, GaussianStatistic> gaussian_statistics{{"fisher-z", GaussianStatistic::fisher_z},
                                                                   {"correlation", GaussianStatistic::correlation},
                                                                   {"information", GaussianStatistic::information},
                                                                   {"shrunk", GaussianStatistic::shrunk}};

const std::map<std::string, DiscreteStatistic> discrete_statistics{{"g-square", DiscreteStatistic::g_square},
                                                                   {"chi-square", DiscreteStatistic::chi_square},
                                                                   {"shrunk", DiscreteStatistic::shrunk_g_square},
                                                                   {"ordered-pairs", DiscreteStatistic::ordered_pairs}};

const std::map<std::string, DegreesOfFreedom> degrees_of_freedom{
    {"full", DegreesOfFreedom::full},
    {"occupied", DegreesOfFreedom::occupied},
    {"adjusted", DegreesOfFreedom::adjusted},
    {"observed", DegreesOfFreedom::observed},
    {"ten-rows", DegreesOfFreedom::ten_rows},
    {"ten-rows-to-four", DegreesOfFreedom::ten_rows_to_four},
    {"ten-rows-less-empty", DegreesOfFreedom::ten_rows_less_empty}};

TestPointer gaussian_test(const Columns<double>& values, const std::string& statistic, double largest_correlation,
                          bool rowwise, std::size_t most_columns) {
  const GaussianOptions options{chosen(gaussian_statistics, statistic), largest_correlation};
  const std::vector<ValueColumn> columns = value_columns(values);
  if (rowwise || options.statistic == GaussianStatistic::shrunk)
    return std::make_unique<RowwiseGaussianTest>(columns, values.shape(0), options);
  if (columns.size() > most_columns) return std::make_unique<WideGaussianTest>(columns, values.shape(0), options);
  return std::make_unique<GaussianTest>(columns, values.shape(0), options);
}

template <class Code>
TestPointer discrete_test(const Columns<Code>& codes, NodeList arities, const std::string& statistic,
                          const std::string& df) {
  const DiscreteOptions options{chosen(discrete_statistics, statistic), chosen(degrees_of_freedom, df)};
  return std::make_unique<DiscreteTest>(discrete_data(codes, std::move(arities)), options);
}

PermutationOptions permutation_options(std::size_t replicates, std::uint64_t seed, bool semiparametric) {
  if (replicates == 0) throw nb::value_error("at least one permutation");
  return {replicates, seed, semiparametric};
}

TestPointer gaussian_permutation_test(const Columns<double>& values, const std::string& statistic,
                                      std::size_t replicates, std::uint64_t seed) {
  return std::make_unique<GaussianPermutationTest>(value_columns(values), values.shape(0),
                                                   GaussianOptions{chosen(gaussian_statistics, statistic), 1.0},
                                                   permutation_options(replicates, seed, false));
}

template <class Code>
TestPointer discrete_permutation_test(const Columns<Code>& codes, NodeList arities, const std::string& statistic,
                                      std::size_t replicates, std::uint64_t seed, bool semiparametric) {
  return std::make_unique<DiscretePermutationTest>(discrete_data(codes, std::move(arities)),
                                                   chosen(discrete_statistics, statistic),
                                                   permutation_options(replicates, seed, semiparametric));
}

template <class Code>
TestPointer mixed_test(const Columns<Code>& codes, NodeList arities, const Columns<double>& values,
                       const std::vector<bool>& is_discrete, bool likelihood_ratio) {
  std::vector<MixedVariable> variables;
  std::size_t next[] = {0, 0};
  for (const bool discrete : is_discrete) variables.push_back({discrete, next[discrete ? 1 : 0]++});
  if (next[1] != codes.shape(1) || next[0] != values.shape(1) || codes.shape(0) != values.shape(0))
    throw nb::value_error("one column per variable, all with the same number of rows");
  DiscreteData data = discrete_data(codes, std::move(arities), false);
  const auto columns = value_columns(values);
  if (likelihood_ratio)
    return std::make_unique<MixedTest>(std::move(data), columns, codes.shape(0), std::move(variables));
  return std::make_unique<ConditionalGaussianTest>(std::move(data), columns, codes.shape(0), std::move(variables));
}

TestPointer kernel_test(const Columns<double>& values) {
  if (values.shape(0) < 2) throw nb::value_error("at least two rows");
  return std::make_unique<KernelTest>(value_columns(values), values.shape(0));
}

TestPointer fourier_test(const Columns<double>& values, bool joined, std::uint64_t seed) {
  if (values.shape(0) < 2) throw nb::value_error("at least two rows");
  return std::make_unique<FourierTest>(value_columns(values), values.shape(0), FourierOptions{joined, seed});
}

TestPointer block_kernel_test(const Columns<double>& values, std::uint64_t seed) {
  if (values.shape(0) < 2) throw nb::value_error("at least two rows");
  return std::make_unique<BlockKernelTest>(value_columns(values), values.shape(0), seed);
}

// Ranks, or codes of levels, as columns.
TestPointer neighbour_test(const Columns<std::uint16_t>& places, const std::vector<bool>& is_discrete,
                           std::size_t replicates, std::uint64_t seed) {
  if (is_discrete.size() != places.shape(1)) throw nb::value_error("one kind per column");
  if (places.shape(0) >= 65535) throw nb::value_error("at most 65,534 rows");
  std::vector<RankColumn> columns;
  for (std::size_t j = 0; j < places.shape(1); ++j) {
    RankColumn column{std::vector<std::uint16_t>(places.shape(0)), is_discrete[j]};
    for (std::size_t i = 0; i < places.shape(0); ++i) column.places[i] = places(i, j);
    columns.push_back(std::move(column));
  }
  return std::make_unique<NeighbourTest>(std::move(columns), places.shape(0),
                                         permutation_options(replicates, seed, false));
}

TestPointer degenerate_gaussian_test(const Columns<double>& values, NodeList starts, bool bartlett, bool rowwise) {
  if (starts.empty() || !std::ranges::is_sorted(starts) || starts.back() > values.shape(1))
    throw nb::value_error("starts of the variables: ascending, at most the number of columns");
  const RatioScale scale = bartlett ? RatioScale::bartlett : RatioScale::rows;
  const std::vector<ValueColumn> columns = value_columns(values);
  if (rowwise) return std::make_unique<RowwiseDegenerateTest>(columns, values.shape(0), std::move(starts), scale);
  return std::make_unique<DegenerateGaussianTest>(columns, values.shape(0), std::move(starts), scale);
}

TestPointer oracle_test(const MarkedGraph& graph) {
  if (!admits_separation(graph)) throw std::invalid_argument("separation is not defined here");
  return std::make_unique<OracleTest>(graph);
}

void check_query(const IndependenceTest& test, std::size_t x, std::size_t y, const NodeList& given) {
  check_nodes(given, test.size());
  check_nodes({x, y}, test.size());
  NodeList all = given;
  all.insert(all.end(), {x, y});
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) throw nb::value_error("a variable stands twice");
}

std::tuple<double, double, double, bool> tested(IndependenceTest& test, std::size_t x, std::size_t y,
                                                const NodeList& given) {
  check_query(test, x, y, given);
  const TestResult result = test.test(x, y, given);
  return {result.statistic, result.df, result.p_value, result.defined};
}

bool independent(IndependenceTest& test, std::size_t x, std::size_t y, const NodeList& given, double alpha) {
  check_query(test, x, y, given);
  return test.independent(x, y, given, alpha);
}

// The tests on codes, for one type of code.
template <class Code>
void bind_coded(nb::module_& m) {
  m.def("discrete_test", &discrete_test<Code>, nb::arg("codes"), nb::arg("arities"), nb::arg("statistic"),
        nb::arg("df"), ReleaseGil());
  m.def("discrete_permutation_test", &discrete_permutation_test<Code>, nb::arg("codes"), nb::arg("arities"),
        nb::arg("statistic"), nb::arg("replicates"), nb::arg("seed"), nb::arg("semiparametric"), ReleaseGil());
  m.def("mixed_test", &mixed_test<Code>, nb::arg("codes"), nb::arg("arities"), nb::arg("values"),
        nb::arg("is_discrete"), nb::arg("likelihood_ratio"), ReleaseGil());
}

}  // namespace

static void bind_independence(nb::module_& m) {
  nb::class_<IndependenceTest>(m, "IndependenceTest", "Tests of conditional independence on one data set.")
      .def_prop_ro("size", &IndependenceTest::size)
      .def_prop_ro("calls", &IndependenceTest::calls)
      .def_prop_ro("undefined", &IndependenceTest::undefined, "How many tests the data could not answer.")
      .def_prop_ro("bounded", &IndependenceTest::bounded,
                   "Whether a search left out sets that are larger than `untestable_order`.")
      .def_rw("undefined_is_independent", &IndependenceTest::undefined_is_independent)
      .def_rw("untestable_order", &IndependenceTest::untestable_order)
      .def("test", &tested, nb::arg("x"), nb::arg("y"), nb::arg("given"), ReleaseGil(),
           "Statistic, degrees of freedom, p-value, and whether the data could answer at all.")
      .def("independent", &independent, nb::arg("x"), nb::arg("y"), nb::arg("given"), nb::arg("alpha"), ReleaseGil());
  m.def("gaussian_test", &gaussian_test, nb::arg("values"), nb::arg("statistic"), nb::arg("largest_correlation"),
        nb::arg("rowwise"), nb::arg("most_columns") = WideGaussianTest::usual_columns, ReleaseGil());
  bind_coded<std::uint8_t>(m);
  bind_coded<std::uint16_t>(m);
  m.def("gaussian_permutation_test", &gaussian_permutation_test, nb::arg("values"), nb::arg("statistic"),
        nb::arg("replicates"), nb::arg("seed"), ReleaseGil());
  m.def(
      "score_test", [](const BoundScore& score) -> TestPointer { return std::make_unique<ScoreTest>(score.plain()); },
      nb::arg("score"));
  m.def("kernel_test", &kernel_test, nb::arg("values"), ReleaseGil());
  m.def("fourier_test", &fourier_test, nb::arg("values"), nb::arg("joined"), nb::arg("seed"), ReleaseGil());
  m.def("block_kernel_test", &block_kernel_test, nb::arg("values"), nb::arg("seed"), ReleaseGil());
  m.def("neighbour_test", &neighbour_test, nb::arg("places"), nb::arg("is_discrete"), nb::arg("replicates"),
        nb::arg("seed"), ReleaseGil());
  m.def("degenerate_gaussian_test", &degenerate_gaussian_test, nb::arg("values"), nb::arg("starts"),
        nb::arg("bartlett"), nb::arg("rowwise"), ReleaseGil());
  m.def("oracle_test", &oracle_test, nb::arg("graph"), ReleaseGil());
}

static const Part independence_part("independence", bind_independence, Part::Rank::early);

}  // namespace dagathlon
