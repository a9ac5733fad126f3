// What every binding file shares: array types, the guard that releases the GIL, and how a part is added.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

namespace nb = nanobind;

using ReleaseGil = nb::call_guard<nb::gil_scoped_release>;

using NodeList = std::vector<std::size_t>;

template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
using NumpyMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

// Hands a vector of rows×columns values to numpy without copying it.
template <class T>
NumpyMatrix<T> to_numpy(std::vector<T>&& values, std::size_t rows, std::size_t columns) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumpyMatrix<T>(data, {rows, columns}, owner);
}

// The same of a copy, of rows of so many columns.
template <class T>
NumpyMatrix<T> copied(const std::vector<T>& values, std::size_t columns) {
  return to_numpy(std::vector<T>(values), values.size() / columns, columns);
}

// Throws IndexError unless every node is below n.
void check_nodes(const NodeList& nodes, std::size_t n);
void check_node(std::size_t node, std::size_t n);

// A choice by its name in Python.
template <class Choice>
Choice chosen(const std::map<std::string, Choice>& choices, const std::string& name) {
  const auto place = choices.find(name);
  if (place == choices.end()) throw nb::value_error(("no such choice: " + name).c_str());
  return place->second;
}

// The set of the listed nodes.
BitSet to_set(const NodeList& nodes, std::size_t n);
NodeList to_list(ConstRow row);

// Pairs of n nodes from row to column, the diagonal left out; ValueError for another shape.
BitMatrix to_bits(const Matrix<const bool>& pairs, std::size_t n);

// The constructor of settings from their fields: calls with many arguments take these instead.
template <class Settings, class... Fields>
auto from_fields() {
  return [](Settings* self, Fields... fields) { new (self) Settings{fields...}; };
}

// A part of the module. A binding file makes itself known by holding one, so that no list names them all.
class Part {
 public:
  using Bind = void (*)(nb::module_&);
  // Classes that others derive from come early.
  enum class Rank : std::uint8_t { early, usual };

  Part(const char* name, Bind bind, Rank rank = Rank::usual);
  // By rank, then by name: the same in every build.
  static void bind_all(nb::module_& m);
};

}  // namespace dagathlon
