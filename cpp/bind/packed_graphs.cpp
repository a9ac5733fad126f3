#include "dagathlon/graph/packed_graphs.hpp"

#include <nanobind/stl/pair.h>

#include <utility>

#include "bind.hpp"
#include "dagathlon/graph/packed_classes.hpp"

namespace dagathlon {

namespace {

using Packed = Matrix<const std::uint64_t>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

PackedRows rows_of(const Packed& bits) { return {{bits.data(), bits.size()}, bits.shape(1), bits.shape(0)}; }

PackedRows arcs_of(const Packed& bits, std::size_t nodes) {
  const std::size_t pairs = nodes < 2 ? 0 : nodes * (nodes - 1);
  if (bits.shape(1) != words_for(pairs)) throw nb::value_error("rows of arcs have n(n-1) bits");
  PackedRows rows = rows_of(bits);
  const std::size_t over = rows.words * word_bits - pairs;
  if (over > 0)
    for (std::size_t k = 0; k < rows.count; ++k)
      if ((rows.row(k).back() >> (word_bits - over)) != 0) throw nb::value_error("a bit beyond the last pair is set");
  return rows;
}

std::span<const double> weights_of(const Vector& weights, const PackedRows& rows) {
  if (weights.shape(0) != rows.count) throw nb::value_error("one weight for each row");
  return {weights.data(), rows.count};
}

template <class T>
NumpyMatrix<T> as_row(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), 1, size);
}

}  // namespace

static void bind_packed_graphs(nb::module_& m) {
  m.def(
      "bit_counts",
      [](const Packed& bits) {
        std::vector<std::int64_t> found;
        {
          const nb::gil_scoped_release free;
          found = bit_counts(rows_of(bits));
        }
        return as_row(std::move(found));
      },
      nb::arg("bits"));
  m.def(
      "bit_sums",
      [](const Packed& bits, const Vector& weights) {
        const PackedRows rows = rows_of(bits);
        return as_row(bit_sums(rows, weights_of(weights, rows)));
      },
      nb::arg("bits"), nb::arg("weights"));
  m.def("graph_numbers", [](const Packed& bits) { return as_row(graph_numbers(rows_of(bits))); }, nb::arg("bits"));
  m.def(
      "path_sums",
      [](const Packed& bits, std::size_t nodes, const Vector& weights) {
        const PackedRows rows = arcs_of(bits, nodes);
        return to_numpy(path_sums(rows, nodes, weights_of(weights, rows)), nodes, nodes);
      },
      nb::arg("bits"), nb::arg("nodes"), nb::arg("weights"));
  m.def(
      "first_non_dag", [](const Packed& bits, std::size_t nodes) { return first_non_dag(arcs_of(bits, nodes), nodes); },
      nb::arg("bits"), nb::arg("nodes"));
  m.def(
      "cpdag_rows",
      [](const Packed& bits, std::size_t nodes) {
        const PackedRows rows = arcs_of(bits, nodes);
        ClassRows found = cpdag_rows(rows, nodes);
        const std::size_t count = found.bits.empty() ? 0 : rows.count;
        return std::pair(to_numpy(std::move(found.bits), count, rows.words), found.first_without);
      },
      nb::arg("bits"), nb::arg("nodes"));
}

static const Part packed_graphs_part("packed_graphs", bind_packed_graphs);

}  // namespace dagathlon
