#include "dagathlon/latent/factor_clusters.hpp"

#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "dagathlon/latent/separate_causes.hpp"

namespace dagathlon {

namespace {

struct MinorSettings {
  std::string test;
  double critical;
};

struct Clusters {
  std::vector<NodeList> clusters;
  std::size_t tests;
};

// The test of minors, on moments that belong to the caller.
std::pair<SampleMoments, VanishingMinors> prepared(const Matrix<const double>& correlations,
                                                   const Matrix<const double>& fourth, double rows,
                                                   const MinorSettings& minors) {
  static const std::map<std::string, MinorTest> tests = {{"wishart", MinorTest::wishart},
                                                         {"two-wishart", MinorTest::two_wishart},
                                                         {"delta", MinorTest::delta},
                                                         {"partial-delta", MinorTest::partial_delta},
                                                         {"sextad", MinorTest::sextad}};
  const std::size_t p = correlations.shape(0);
  const MinorTest test = chosen(tests, minors.test);
  const bool by_moments = test != MinorTest::wishart && test != MinorTest::two_wishart;
  const std::size_t pairs = p * (p - 1) / 2;
  if (correlations.shape(1) != p || p < 2 || p > 1023) throw nb::value_error("correlations of 2 to 1023 variables");
  if (by_moments && (fourth.shape(0) != pairs || fourth.shape(1) != pairs)) {
    throw nb::value_error("fourth moments of all pairs of pairs");
  }
  const SampleMoments moments{p, rows, {correlations.data(), p * p}, {fourth.data(), fourth.size()}};
  return {moments, VanishingMinors(moments, test, minors.critical)};
}

Clusters find(Matrix<const double> correlations, Matrix<const double> fourth, double rows, const MinorSettings& minors,
              const ClusterSearch& settings) {
  auto [moments, vanishing] = prepared(correlations, fourth, rows, minors);
  nb::gil_scoped_release released;
  std::vector<NodeList> found = factor_clusters(moments, vanishing, settings);
  return {std::move(found), vanishing.tests()};
}

NumpyMatrix<double> statistics(Matrix<const double> correlations, Matrix<const double> fourth, double rows,
                               const MinorSettings& minors) {
  auto [moments, vanishing] = prepared(correlations, fourth, rows, minors);
  std::vector<double> found;
  {
    nb::gil_scoped_release released;
    found = tetrad_statistics(moments.variables, vanishing);
  }
  const std::size_t fours = found.size() / 3;
  return to_numpy(std::move(found), fours, 3);
}

// Pairs, each once, that have no common cause.
std::vector<std::pair<std::size_t, std::size_t>> separated(Matrix<const std::uint8_t> answers,
                                                           Matrix<const bool> linked) {
  const std::size_t n = linked.shape(0);
  if (linked.shape(1) != n || n < 4 || n > TetradAnswers::most) throw nb::value_error("pairs of 4 to 64 variables");
  if (answers.size() != n * (n - 1) * (n - 2) * (n - 3) / 8) throw nb::value_error("three answers for every four");
  std::vector<TetradAnswers::Set> sets(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i != j && linked(i, j)) sets[i] |= TetradAnswers::Set{1} << j;
    }
  }
  nb::gil_scoped_release released;
  const TetradAnswers tetrads({answers.data(), answers.size()}, sets);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if ((sets[i] >> j & 1) != 0 && tetrads.separate(i, j)) found.emplace_back(i, j);
    }
  }
  return found;
}

void bind_factor_clusters(nb::module_& m) {
  nb::class_<MinorSettings>(m, "MinorSettings")
      .def("__init__", from_fields<MinorSettings, std::string, double>(), nb::arg("test"), nb::arg("critical"));
  nb::class_<ClusterSearch>(m, "ClusterSearch")
      .def("__init__", from_fields<ClusterSearch, std::size_t, double, double, std::size_t, std::size_t, bool>(),
           nb::arg("seed"), nb::arg("growth"), nb::arg("least_correlation"), nb::arg("loose_in_seed"),
           nb::arg("loose_in_set"), nb::arg("pick"));
  m.def(
      "factor_clusters",
      [](Matrix<const double> correlations, Matrix<const double> fourth, double rows, const MinorSettings& minors,
         const ClusterSearch& settings) {
        Clusters found = find(correlations, fourth, rows, minors, settings);
        return std::pair(std::move(found.clusters), found.tests);
      },
      nb::arg("correlations"), nb::arg("fourth"), nb::arg("rows"), nb::arg("minors"), nb::arg("settings"),
      "Clusters of variables with one latent cause or two, and how many minors were tested.");
  m.def("tetrad_statistics", &statistics, nb::arg("correlations"), nb::arg("fourth"), nb::arg("rows"),
        nb::arg("minors"), "Chi-square statistics of the three tetrads of every four variables.");
  m.def("separate_causes", &separated, nb::arg("answers"), nb::arg("linked"),
        "Linked pairs without a common cause, by answers (1: vanishes, 2: differs) about all tetrads.");
}

const Part part("factor_clusters", bind_factor_clusters);

}  // namespace

}  // namespace dagathlon
