#include "dagathlon/undirected/lasso_groups.hpp"

#include "bind.hpp"

namespace dagathlon {

namespace {

using Columns = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

void make_data(GroupedData* self, Columns columns, const NodeList& starts, Codes codes, const NodeList& levels,
               const std::vector<double>& scales) {
  const std::size_t rows = columns.shape(0), p = levels.size();
  if (codes.shape(0) != rows || codes.shape(1) != p || starts.size() != p + 1 || scales.size() != p ||
      starts.back() != columns.shape(1))
    throw nb::value_error("a column of codes, a start, a number of levels and a scale for each variable");
  for (std::size_t j = 0; j < p; ++j) {
    if (starts[j] > starts[j + 1]) throw nb::value_error("starts must not decrease");
    if (starts[j] == starts[j + 1] || levels[j] == 0) continue;
    for (std::size_t i = 0; i < rows; ++i)
      if (codes.data()[j * rows + i] >= levels[j]) throw nb::value_error("a code is no level");
  }
  new (self) GroupedData{rows,   {columns.data(), columns.data() + columns.size()}, starts,
                         levels, {codes.data(), codes.data() + codes.size()},       scales};
}

const GroupFit& fit_at(const GroupPath& path, std::size_t k, std::size_t target) {
  if (target >= path.size || k * path.size + target >= path.fits.size()) throw nb::index_error("no such fit");
  return path.fits[k * path.size + target];
}

NumpyMatrix<bool> predictors(const GroupPath& path, std::size_t k) {
  const std::size_t p = path.size;
  std::unique_ptr<bool[]> cells(new bool[p * p]());
  for (std::size_t j = 0; j < p; ++j)
    for (const auto& group : fit_at(path, k, j).groups) cells[j * p + group.predictor] = true;
  bool* data = cells.get();
  nb::capsule owner(cells.release(), [](void* array) noexcept { delete[] static_cast<bool*>(array); });
  return NumpyMatrix<bool>(data, {p, p}, owner);
}

NumpyMatrix<double> weights_of(const GroupPath& path, std::size_t k, std::size_t target, std::size_t predictor) {
  const auto& fit = fit_at(path, k, target);
  for (const auto& group : fit.groups)
    if (group.predictor == predictor) {
      const std::size_t d = fit.intercept.size();
      return to_numpy(std::vector<double>(group.values), group.values.size() / d, d);
    }
  return to_numpy(std::vector<double>(), 0, fit.intercept.size());
}

double parameters(const GroupPath& path, std::size_t k) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < path.size; ++j)
    for (const auto& group : fit_at(path, k, j).groups) count += group.values.size();
  return static_cast<double>(count);
}

double log_likelihood(const GroupPath& path, std::size_t k) {
  double sum = 0.0;
  for (std::size_t j = 0; j < path.size; ++j) sum += fit_at(path, k, j).log_likelihood;
  return sum;
}

}  // namespace

static void bind_lasso_groups(nb::module_& m) {
  nb::class_<GroupedData>(m, "GroupedData")
      .def("__init__", &make_data, nb::kw_only(), nb::arg("columns"), nb::arg("starts"), nb::arg("codes"),
           nb::arg("levels"), nb::arg("scales"));
  nb::class_<GroupSettings>(m, "GroupSettings")
      .def("__init__", from_fields<GroupSettings, double, std::size_t>(), nb::kw_only(), nb::arg("tolerance"),
           nb::arg("max_steps"));
  nb::class_<GroupPath>(m, "GroupPath")
      .def("predictors", &predictors, nb::arg("k"), "Who predicts whom at a penalty, a row for each target.")
      .def(
          "intercept",
          [](const GroupPath& path, std::size_t k, std::size_t target) { return fit_at(path, k, target).intercept; },
          nb::arg("k"), nb::arg("target"))
      .def("weights", &weights_of, nb::arg("k"), nb::arg("target"), nb::arg("predictor"),
           "A row for each column of the predictor, a column for each contrast; no rows where it is none.")
      .def("parameters", &parameters, nb::arg("k"), "Number of weights that are not zero.")
      .def("log_likelihood", &log_likelihood, nb::arg("k"), "Sum over all targets.")
      .def_ro("converged", &GroupPath::converged);
  m.def(
      "group_refits",
      [](const GroupedData& data, nb::ndarray<const bool, nb::ndim<3>, nb::c_contig, nb::device::cpu> graphs) {
        if (graphs.shape(1) != data.size() || graphs.shape(2) != data.size())
          throw nb::value_error("one row and column per variable");
        const nb::gil_scoped_release release;
        return group_refits(data, {graphs.data(), graphs.size()});
      },
      nb::arg("data"), nb::arg("graphs"), "The regressions on the neighbours in each graph with all but no penalty.");
  m.def("contrast", &contrast, nb::arg("level"), nb::arg("column"), "An entry of the orthonormal contrasts.");
  m.def(
      "group_path",
      [](const GroupedData& data, const std::vector<double>& penalties, const GroupSettings& settings) {
        return group_path(data, penalties, settings);
      },
      nb::arg("data"), nb::arg("penalties"), nb::arg("settings"), ReleaseGil(),
      "The regression of each variable on groups of columns at decreasing penalties.");
}

static const Part lasso_groups_part("lasso_groups", bind_lasso_groups);

}  // namespace dagathlon
