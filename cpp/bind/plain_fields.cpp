#include "dagathlon/plain_fields.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <utility>

#include "bind.hpp"

namespace dagathlon {

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Found = std::pair<NumpyMatrix<std::uint8_t>, std::vector<std::vector<std::string>>>;

std::optional<Found> scanned(const Bytes& text, char delimiter, const Flags& wanted) {
  std::optional<PlainFields> found;
  {
    const nb::gil_scoped_release free;
    found = plain_fields({reinterpret_cast<const char*>(text.data()), text.size()}, delimiter,
                         {wanted.data(), wanted.size()});
  }
  if (!found) return std::nullopt;
  const std::size_t columns = found->fields.size();
  return Found(to_numpy(std::move(found->codes), columns, found->rows), std::move(found->fields));
}

// numpy would make an index of eight bytes of each code first.
void recode(const Bytes& codes, const Bytes& table,
            const nb::ndarray<std::uint8_t, nb::ndim<1>, nb::device::cpu>& to) {
  if (table.size() != 256 || to.size() != codes.size()) throw nb::value_error("256 codes, and as many to write as to read");
  std::uint8_t* place = to.data();
  for (std::size_t i = 0; i < codes.size(); ++i, place += to.stride(0)) *place = table.data()[codes.data()[i]];
}

}  // namespace

static void bind_plain_fields(nb::module_& m) {
  m.def("plain_fields", &scanned, nb::arg("text"), nb::arg("delimiter"), nb::arg("wanted"));
  m.def("recode", &recode, nb::arg("codes"), nb::arg("table"), nb::arg("to").noconvert(), ReleaseGil());
}

static const Part part("plain_fields", bind_plain_fields);

}  // namespace dagathlon
