#include "dagathlon/data/noise.hpp"

#include <limits>

#include "bind.hpp"

namespace dagathlon {

namespace {

template <class T>
using Column = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> cells(const Column<T>& column) {
  return {column.data(), column.size()};
}

CellNoise checked(std::uint64_t seed, std::uint64_t stream, double rate) {
  if (!(rate >= 0.0 && rate <= 1.0)) throw nb::value_error("a rate lies between 0 and 1");
  return {seed, stream, rate};
}

template <class Code>
constexpr Code missing_code = std::numeric_limits<Code>::max();

template <class Code>
void overwrite_codes(Column<Code> column, Code value, std::uint64_t seed, std::uint64_t stream, double rate) {
  overwrite(cells(column), value, missing_code<Code>, checked(seed, stream, rate));
}

template <class Code>
void scramble_codes(Column<Code> column, std::size_t levels, std::uint64_t seed, std::uint64_t stream, double rate) {
  if (levels > missing_code<Code>) throw nb::value_error("too many levels for this code type");
  scramble(cells(column), levels, missing_code<Code>, checked(seed, stream, rate));
}

void erase_values(Column<double> column, std::uint64_t seed, std::uint64_t stream, double rate) {
  erase(cells(column), checked(seed, stream, rate));
}

void resample_values(Column<double> column, std::uint64_t seed, std::uint64_t stream, double rate) {
  resample(cells(column), checked(seed, stream, rate));
}

template <class Code>
void bind_codes(nb::module_& m) {
  m.def("overwrite_codes", &overwrite_codes<Code>, nb::arg("column").noconvert(), nb::arg("value"), nb::arg("seed"),
        nb::arg("stream"), nb::arg("rate"), ReleaseGil());
  m.def("scramble_codes", &scramble_codes<Code>, nb::arg("column").noconvert(), nb::arg("levels"), nb::arg("seed"),
        nb::arg("stream"), nb::arg("rate"), ReleaseGil());
}

}  // namespace

static void bind_noise(nb::module_& m) {
  bind_codes<std::uint8_t>(m);
  bind_codes<std::uint16_t>(m);
  m.def("erase_values", &erase_values, nb::arg("column").noconvert(), nb::arg("seed"), nb::arg("stream"),
        nb::arg("rate"), ReleaseGil());
  m.def("resample_values", &resample_values, nb::arg("column").noconvert(), nb::arg("seed"), nb::arg("stream"),
        nb::arg("rate"), ReleaseGil());
}

static const Part noise_part("noise", bind_noise);

}  // namespace dagathlon
