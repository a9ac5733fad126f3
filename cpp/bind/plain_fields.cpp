#include "dagathlon/data/plain_fields.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>
#include <utility>

#include "bind.hpp"

namespace dagathlon {

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Found = std::tuple<NumpyMatrix<std::int32_t>, NumpyMatrix<std::uint8_t>, NumpyMatrix<double>,
                         std::vector<std::vector<std::string>>>;

std::optional<Found> scanned(const Bytes& text, char delimiter, const Bytes& uses,
                             const std::vector<std::string>& missing) {
  if (uses.size() == 0) throw nb::value_error("a text has at least one column");
  std::vector<ColumnUse> columns;
  for (std::size_t j = 0; j < uses.size(); ++j) {
    if (uses.data()[j] > static_cast<std::uint8_t>(ColumnUse::any)) throw nb::value_error("a use is 0, 1 or 2");
    columns.push_back(static_cast<ColumnUse>(uses.data()[j]));
  }
  std::optional<PlainColumns> found;
  {
    const nb::gil_scoped_release free;
    found = plain_columns({reinterpret_cast<const char*>(text.data()), text.size()}, {delimiter, columns, missing});
  }
  if (!found) return std::nullopt;
  const std::size_t rows = found->rows;
  const auto columns_of = [rows](std::size_t size) { return rows == 0 ? 0 : size / rows; };
  const std::size_t of_codes = columns_of(found->codes.size());
  const std::size_t of_values = columns_of(found->values.size());
  const std::size_t all = found->list_of_column.size();
  return Found(to_numpy(std::move(found->list_of_column), 1, all), to_numpy(std::move(found->codes), of_codes, rows),
               to_numpy(std::move(found->values), of_values, rows), std::move(found->lists));
}

void check_tables(std::size_t width, std::size_t from, std::size_t to) {
  if (width != 256 || to != from) throw nb::value_error("256 codes, and as many to write as to read");
}

// numpy would make an index of eight bytes of each code first.
void recode(const Bytes& codes, const Bytes& table, const nb::ndarray<std::uint8_t, nb::ndim<1>, nb::device::cpu>& to) {
  check_tables(table.size(), codes.size(), to.size());
  std::uint8_t* place = to.data();
  for (std::size_t i = 0; i < codes.size(); ++i, place += to.stride(0)) *place = table.data()[codes.data()[i]];
}

// The same of many columns, each by the table that is said.
void recode_columns(const Matrix<const std::uint8_t>& codes, const Matrix<const std::uint8_t>& tables,
                    const std::vector<std::size_t>& table_of_column, const Matrix<std::uint8_t>& to) {
  check_tables(tables.shape(1), codes.size(), to.size());
  if (table_of_column.size() != codes.shape(0)) throw nb::value_error("a table for each column");
  const std::size_t rows = codes.shape(1);
  for (std::size_t j = 0; j < codes.shape(0); ++j) {
    if (table_of_column[j] >= tables.shape(0)) throw nb::index_error("no such table");
    const std::uint8_t* table = tables.data() + table_of_column[j] * 256;
    const std::uint8_t* from = codes.data() + j * rows;
    std::uint8_t* place = to.data() + j * rows;
    for (std::size_t i = 0; i < rows; ++i) place[i] = table[from[i]];
  }
}

}  // namespace

static void bind_plain_fields(nb::module_& m) {
  m.def("plain_columns", &scanned, nb::arg("text"), nb::arg("delimiter"), nb::arg("uses"), nb::arg("missing"));
  m.def("recode", &recode, nb::arg("codes"), nb::arg("table"), nb::arg("to").noconvert(), ReleaseGil());
  m.def("recode_columns", &recode_columns, nb::arg("codes"), nb::arg("tables"), nb::arg("table_of_column"),
        nb::arg("to").noconvert(), ReleaseGil());
}

static const Part plain_fields_part("plain_fields", bind_plain_fields);

}  // namespace dagathlon
