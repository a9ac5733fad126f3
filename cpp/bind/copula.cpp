#include "copula.hpp"

#include <algorithm>

#include "dagathlon/random.hpp"

namespace dagathlon {

namespace {

void add_column(CopulaStart& start, std::vector<std::int32_t> levels, std::vector<double> values, bool kept) {
  if (!start.columns.empty() && start.columns[0].levels.size() != levels.size())
    throw nb::value_error("columns have equally many rows");
  std::vector<bool> seen(values.size());
  for (const std::int32_t level : levels) {
    if (level == CopulaLatents::missing) continue;
    if (level < 0 || static_cast<std::size_t>(level) >= values.size()) throw nb::index_error("no such level");
    seen[static_cast<std::size_t>(level)] = true;
  }
  if (!std::ranges::all_of(seen, [](bool found) { return found; })) throw nb::value_error("a level is in no row");
  if (!std::ranges::is_sorted(values)) throw nb::value_error("the values of levels increase");
  start.columns.push_back({std::move(levels), std::move(values), kept});
}

// The latents after so many updates with one precision matrix, row by row.
NumpyMatrix<double> drawn(const CopulaStart& start, const Matrix<const double>& precision, std::size_t updates,
                          std::uint64_t seed) {
  CopulaLatents latents = start.latents();
  const std::size_t p = latents.size(), n = latents.rows();
  if (precision.shape(0) != p || precision.shape(1) != p) throw nb::value_error("one row of precisions per column");
  std::vector<double> rows(n * p);
  {
    const nb::gil_scoped_release unlocked;
    const SquareMatrix matrix(std::span(precision.data(), p * p), p);
    Stream random(seed, 0);
    for (std::size_t k = 0; k < updates; ++k) latents.update(matrix, random);
    for (std::size_t j = 0; j < p; ++j)
      for (std::size_t i = 0; i < n; ++i) rows[i * p + j] = latents.column(j)[i];
  }
  return to_numpy(std::move(rows), n, p);
}

}  // namespace

static void bind_copula(nb::module_& m) {
  nb::class_<CopulaStart>(m, "CopulaStart", "Latent normal data of which only orders within columns were seen.")
      .def(nb::init<>())
      .def("add", &add_column, nb::arg("levels"), nb::arg("values"), nb::arg("kept"),
           "One more column: the level of each row (-1: missing), a latent value for each level, and whether the "
           "latent values stay.")
      .def("__len__", [](const CopulaStart& start) { return start.columns.size(); })
      .def("drawn", &drawn, nb::arg("precision"), nb::arg("updates"), nb::arg("seed"), nb::rv_policy::move,
           "The latent values after some updates under one precision matrix.");
}

static const Part part("copula", bind_copula);

}  // namespace dagathlon
