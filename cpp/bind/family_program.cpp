#include "dagathlon/exact/family_program.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "bind.hpp"
#include "parent_sets.hpp"
#include "vector.hpp"

namespace dagathlon {

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> all_columns(const FamilyProgram& program, const Vector<T>& values) {
  if (values.size() != program.size()) throw nb::value_error("a value for each column");
  return {values.data(), values.size()};
}

template <class T, class Read>
NumpyVector<T> read_columns(const FamilyProgram& program, Read read) {
  std::vector<T> result;
  for (std::size_t k = 0; k < program.size(); ++k) result.push_back(static_cast<T>(read(k)));
  return to_vector(std::move(result));
}

using Decisions = std::vector<std::tuple<std::size_t, std::size_t, bool>>;

NumpyVector<int> excluded(const FamilyProgram& program, const Decisions& listed) {
  std::vector<ArcDecision> decisions;
  for (const auto& [parent, child, present] : listed) {
    check_nodes({parent, child}, program.nodes());
    decisions.push_back({parent, child, present});
  }
  return to_vector(program.excluded(decisions));
}

using Places = std::vector<std::size_t>;

auto to_python(Entries&& entries) {
  return std::tuple(to_vector(std::move(entries.starts)), to_vector(std::move(entries.places)),
                    to_vector(std::move(entries.values)));
}

auto rows_of(const FamilyProgram& program, const Places& cuts, const Vector<int>& places) {
  return to_python(program.rows(cuts, all_columns(program, places)));
}

auto columns_of(const FamilyProgram& program, const Vector<int>& columns, const Places& cuts) {
  const std::span<const int> wanted{columns.data(), columns.size()};
  for (const int column : wanted) check_node(static_cast<std::size_t>(column), program.size());
  return to_python(program.columns(wanted, cuts));
}

auto reduced(const FamilyProgram& program, const Vector<double>& prices, const Places& cuts) {
  if (prices.size() != program.nodes() + cuts.size()) throw nb::value_error("a price for each row");
  return to_vector(program.reduced({prices.data(), prices.size()}, cuts));
}

std::vector<std::size_t> separated_cuts(FamilyProgram& program, const Vector<double>& values, std::size_t most) {
  const std::span<const double> shares = all_columns(program, values);
  const nb::gil_scoped_release release;
  return program.separate(shares, most);
}

std::vector<std::size_t> separated_hulls(FamilyProgram& program, const Vector<double>& values, std::size_t size,
                                         std::size_t most) {
  if (size > 15) throw nb::value_error("hulls of at most 15 nodes");
  const std::span<const double> shares = all_columns(program, values);
  const nb::gil_scoped_release release;
  return program.separate_hulls(shares, size, most);
}

}  // namespace

static void bind_family_program(nb::module_& m) {
  nb::class_<FamilyProgram>(m, "FamilyProgram", "The choice of parent sets as columns of an integer program.")
      .def(
          "__init__",
          [](FamilyProgram* self, const Candidates& candidates) { new (self) FamilyProgram(candidates.sets); },
          nb::arg("sets"))
      .def("__len__", &FamilyProgram::size)
      .def("children",
           [](const FamilyProgram& self) {
             return read_columns<int>(self, [&](std::size_t k) { return self.child(k); });
           })
      .def("losses",
           [](const FamilyProgram& self) {
             return read_columns<double>(self, [&](std::size_t k) { return self.loss(k); });
           })
      .def(
          "parents",
          [](const FamilyProgram& self, std::size_t column) {
            check_node(column, self.size());
            return self.parents(column);
          },
          nb::arg("column"))
      .def(
          "keep", [](FamilyProgram& self, const Vector<bool>& kept) { self.keep(all_columns(self, kept)); },
          nb::arg("kept"))
      .def("separate", separated_cuts, nb::arg("values"), nb::arg("most"))
      .def("separate_hulls", separated_hulls, nb::arg("values"), nb::arg("size"), nb::arg("most"))
      .def(
          "most",
          [](const FamilyProgram& self, const Places& cuts) {
            std::vector<double> result;
            for (const std::size_t cut : cuts) result.push_back(self.most(cut));
            return to_vector(std::move(result));
          },
          nb::arg("cuts"))
      .def("rows", rows_of, nb::arg("cuts"), nb::arg("places"))
      .def("columns", columns_of, nb::arg("columns"), nb::arg("cuts"))
      .def("reduced", reduced, nb::arg("prices"), nb::arg("cuts"))
      .def(
          "arcs",
          [](const FamilyProgram& self, const Vector<double>& values) {
            return to_numpy(self.arcs(all_columns(self, values)), self.nodes(), self.nodes());
          },
          nb::arg("values"))
      .def("excluded", excluded, nb::arg("decisions"));
}

static const Part family_program_part("family_program", bind_family_program);

}  // namespace dagathlon
