#include "dagathlon/factor_clusters.hpp"

#include <nanobind/stl/pair.h>

#include "bind.hpp"

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

Clusters find(Matrix<const double> correlations, Matrix<const double> fourth, double rows,
              const MinorSettings& minors, const ClusterSearch& settings) {
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
  VanishingMinors vanishing(moments, test, minors.critical);
  nb::gil_scoped_release released;
  std::vector<NodeList> found = factor_clusters(moments, vanishing, settings);
  return {std::move(found), vanishing.tests()};
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
}

const Part part("factor_clusters", bind_factor_clusters);

}  // namespace

}  // namespace dagathlon
