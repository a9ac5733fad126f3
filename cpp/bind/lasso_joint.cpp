#include "dagathlon/undirected/lasso_joint.hpp"

#include "bind.hpp"

namespace dagathlon {

namespace {

const std::map<std::string, JointWeights> weightings{
    {"equal", JointWeights::equal}, {"precision", JointWeights::precision}, {"degree", JointWeights::degree}};

void make_settings(JointSettings* self, const std::string& weights, std::size_t rounds, double tolerance,
                   std::size_t max_sweeps) {
  new (self) JointSettings{chosen(weightings, weights), rounds, tolerance, max_sweeps};
}

JointPath path_of(Matrix<const double> correlation, const std::vector<double>& penalties,
                  const JointSettings& settings) {
  const std::size_t p = correlation.shape(0);
  if (correlation.shape(1) != p) throw nb::value_error("the matrix must be square");
  const nb::gil_scoped_release release;
  return joint_path({correlation.data(), p * p}, p, penalties, settings);
}

const JointEstimate& estimate_at(const JointPath& path, std::size_t k) {
  if (k >= path.estimates.size()) throw nb::index_error("no such penalty");
  return path.estimates[k];
}

NumpyMatrix<double> partial_correlations(const JointPath& path, std::size_t k) {
  const std::size_t p = path.size;
  std::vector<double> cells(p * p, 0.0);
  for (const auto& pair : estimate_at(path, k).partial_correlations)
    cells[pair.i * p + pair.j] = cells[pair.j * p + pair.i] = pair.value;
  return to_numpy(std::move(cells), p, p);
}

}  // namespace

static void bind_lasso_joint(nb::module_& m) {
  nb::class_<JointSettings>(m, "JointSettings")
      .def("__init__", &make_settings, nb::kw_only(), nb::arg("weights"), nb::arg("rounds"), nb::arg("tolerance"),
           nb::arg("max_sweeps"));
  nb::class_<JointPath>(m, "JointPath")
      .def("partial_correlations", &partial_correlations, nb::arg("k"))
      .def(
          "precisions", [](const JointPath& path, std::size_t k) { return estimate_at(path, k).precisions; },
          nb::arg("k"), "The diagonal of the precision matrix, from the residuals.")
      .def(
          "given", [](const JointPath& path, std::size_t k) { return estimate_at(path, k).given_precisions; },
          nb::arg("k"), "The diagonal that the partial correlations were estimated with.")
      .def(
          "weights", [](const JointPath& path, std::size_t k) { return estimate_at(path, k).weights; }, nb::arg("k"))
      .def_ro("converged", &JointPath::converged);
  m.def("joint_path", &path_of, nb::arg("correlation"), nb::arg("penalties"), nb::arg("settings"),
        "Partial correlations by joint sparse regression at decreasing penalties.");
}

static const Part lasso_joint_part("lasso_joint", bind_lasso_joint);

}  // namespace dagathlon
