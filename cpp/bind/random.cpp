#include "dagathlon/stats/random.hpp"

#include <nanobind/stl/array.h>

#include "bind.hpp"

namespace dagathlon {

namespace {

std::uint64_t checked_below(Stream& stream, std::uint64_t n) {
  if (n == 0) throw nb::value_error("there is no number below 0");
  return stream.below(n);
}

std::vector<std::uint64_t> bits_from(std::uint64_t seed, std::uint64_t stream, std::uint64_t first, std::size_t count) {
  if (first % 2 == 1) throw nb::value_error("first must be even");
  std::vector<std::uint64_t> result(count);
  fill_bits(seed, stream, first, result);
  return result;
}

std::vector<std::size_t> permutation(Stream& stream, std::size_t n) {
  std::vector<std::size_t> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = i;
  stream.shuffle(std::span<std::size_t>(result));
  return result;
}

double checked_quantile(double q) {
  if (!(q > -0.5 && q < 0.5)) throw nb::value_error("q lies strictly between -0.5 and 0.5");
  return normal_quantile(q);
}

}  // namespace

static void bind_random(nb::module_& m) {
  nb::class_<Stream>(m, "Stream", "Random draws as a function of seed, stream number and position.")
      .def(nb::init<std::uint64_t, std::uint64_t, std::uint64_t>(), nb::arg("seed"), nb::arg("stream"),
           nb::arg("position") = 0)
      .def("bits", &Stream::bits)
      .def("uniform", &Stream::uniform)
      .def("normal", &Stream::normal)
      .def("below", &checked_below, nb::arg("n"))
      .def("permutation", &permutation, nb::arg("n"));
  m.def("philox", &philox, nb::arg("counter"), nb::arg("key"), "One block of Philox4x32-10.");
  m.def("stream_bits", &bits_from, nb::arg("seed"), nb::arg("stream"), nb::arg("first"), nb::arg("count"));
  m.def("normal_quantile", &checked_quantile, nb::arg("q"), "The z with P(Z <= z) = 0.5 + q.");
}

static const Part random_part("random", bind_random, Part::Rank::early);

}  // namespace dagathlon
