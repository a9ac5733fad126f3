#include "dagathlon/graph/packed_classes.hpp"

#include <span>
#include <utility>

#include "dagathlon/graph/equivalence.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

std::size_t place(std::size_t i, std::size_t j, std::size_t n) { return i * (n - 1) + j - (j > i ? 1 : 0); }

MarkedGraph graph_of(ConstRow row, std::size_t n) {
  MarkedGraph graph(n);
  for_each(row, [&](std::size_t bit) {
    const std::size_t i = bit / (n - 1);
    const std::size_t rank = bit % (n - 1);
    const std::size_t j = rank + (rank >= i ? 1 : 0);
    if (!test(row, place(j, i, n))) graph.set_directed(i, j);
    else if (i < j) graph.set_undirected(i, j);
  });
  return graph;
}

void write(const MarkedGraph& graph, Row row) {
  const std::size_t n = graph.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto put = [&](std::size_t j) { set(row, place(i, j, n)); };
    for_each(ConstRow(graph.children(i)), put);
    for_each(ConstRow(graph.neighbours(i)), put);
  }
}

}  // namespace

ClassRows cpdag_rows(const PackedRows& rows, std::size_t nodes) {
  std::vector<Word> bits(rows.words * rows.count, 0);
  for (std::size_t k = 0; k < rows.count; ++k) {
    pulse::beat();
    const auto found = cpdag(graph_of(rows.row(k), nodes));
    if (!found) return {{}, k};
    write(*found, std::span(bits).subspan(k * rows.words, rows.words));
  }
  return {std::move(bits), rows.count};
}

}  // namespace dagathlon
