#include "bind.hpp"
#include "columns.hpp"
#include "dagathlon/data/covariance.hpp"
#include "vector.hpp"

namespace dagathlon {

namespace {

NumpyVector<double> pairs_of(const Columns<double>& values) {
  const std::vector<ValueColumn> columns = value_columns(values);
  std::vector<double> found;
  {
    const nb::gil_scoped_release released;
    found = pair_correlations(columns, values.shape(0));
  }
  return to_vector(std::move(found));
}

void bind_correlations(nb::module_& m) {
  m.def("pair_correlations", &pairs_of, nb::arg("values"),
        "Correlations of all pairs of complete columns, row by row above the diagonal; those of a constant one are 0.");
}

const Part part("correlations", bind_correlations);

}  // namespace

}  // namespace dagathlon
