#include "bind.hpp"

#include <algorithm>
#include <tuple>

namespace dagathlon {

namespace {

using Entry = std::tuple<Part::Rank, std::string, Part::Bind>;

// Inside a function, so that it is there before the first part of any file.
std::vector<Entry>& parts() {
  static std::vector<Entry> all;
  return all;
}

}  // namespace

Part::Part(const char* name, Bind bind, Rank rank) { parts().emplace_back(rank, name, bind); }

void Part::bind_all(nb::module_& m) {
  std::ranges::sort(parts());
  for (const auto& [rank, name, bind] : parts()) bind(m);
}

void check_node(std::size_t node, std::size_t n) {
  if (node >= n) throw nb::index_error("node index out of range");
}

void check_nodes(const NodeList& nodes, std::size_t n) {
  for (const std::size_t node : nodes) check_node(node, n);
}

BitSet to_set(const NodeList& nodes, std::size_t n) {
  check_nodes(nodes, n);
  BitSet result(n);
  for (const std::size_t node : nodes) result.set(node);
  return result;
}

NodeList to_list(ConstRow row) {
  NodeList result;
  for_each(row, [&](std::size_t i) { result.push_back(i); });
  return result;
}

BitMatrix to_bits(const Matrix<const bool>& pairs, std::size_t n) {
  if (pairs.shape(0) != n || pairs.shape(1) != n) throw nb::value_error("one row and column per variable");
  BitMatrix result(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j && pairs(i, j)) result.set(i, j);
  return result;
}

}  // namespace dagathlon

NB_MODULE(_core, m) {
  // Graphs that live as long as the interpreter (in a notebook, in a cache) are no leak, but would be
  // reported as one at its end; tests/graphs/test_memory.py watches for real ones.
  nanobind::set_leak_warnings(false);
  m.doc() = "Native kernels of Dagathlon; nodes are row numbers here, names live in Python.";
  dagathlon::Part::bind_all(m);
}
