#include "dagathlon/score/score_mixture.hpp"

#include <cmath>

#include "bind.hpp"

namespace dagathlon {

namespace {

// A row per component: weight, location, scale, shape.
std::vector<PowerComponent> to_parts(const Matrix<const double>& rows) {
  if (rows.shape(1) != 4 || rows.shape(0) == 0) throw nb::value_error("weight, location, scale and shape in a row");
  std::vector<PowerComponent> parts;
  for (std::size_t k = 0; k < rows.shape(0); ++k) {
    const double* row = rows.data() + 4 * k;
    if (!(row[0] > 0 && row[2] > 0 && row[3] > 0)) throw nb::value_error("weights, scales and shapes are positive");
    parts.push_back({std::log(row[0]), row[1], row[2], row[3]});
  }
  return parts;
}

NumpyMatrix<double> to_rows(const std::vector<PowerComponent>& parts) {
  std::vector<double> cells;
  double sum = 0.0;
  for (const PowerComponent& part : parts) sum += std::exp(part.log_weight);
  for (const PowerComponent& part : parts)
    cells.insert(cells.end(), {std::exp(part.log_weight) / sum, part.location, part.scale, part.shape});
  return to_numpy(std::move(cells), parts.size(), 4);
}

NumpyMatrix<double> fit(const std::vector<double>& scores, Matrix<const double> start, std::size_t epochs,
                        std::uint64_t seed) {
  for (const double score : scores)
    if (!std::isfinite(score)) throw nb::value_error("scores are finite");
  auto parts = to_parts(start);
  {
    const nb::gil_scoped_release release;
    parts = fit_score_mixture(scores, std::move(parts), epochs, seed);
  }
  return to_rows(parts);
}

}  // namespace

static void bind_score_mixture(nb::module_& m) {
  m.def("fit_score_mixture", &fit, nb::arg("scores"), nb::arg("start"), nb::arg("epochs"), nb::arg("seed"),
        "Weight, location, scale and shape of each component, in rows.");
}

static const Part score_mixture_part("score_mixture", bind_score_mixture);

}  // namespace dagathlon
