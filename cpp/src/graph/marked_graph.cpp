#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

MarkedGraph MarkedGraph::from_marks(std::span<const std::uint8_t> marks, std::size_t n) {
  MarkedGraph graph(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (const std::uint8_t m = marks[i * n + j]; m != 0) {
        graph.far(static_cast<Mark>(m)).set(i, j);
        graph.near(static_cast<Mark>(m)).set(j, i);
      }
  return graph;
}

MarkedGraph MarkedGraph::from_rows(const BitMatrix& parents, const BitMatrix& children, const BitMatrix& neighbours) {
  MarkedGraph graph(parents.size());
  graph.far(Mark::arrow) = children;
  graph.near(Mark::arrow) = parents;
  graph.far(Mark::tail) = neighbours;
  graph.near(Mark::tail) = neighbours;
  for (std::size_t i = 0; i < graph.n_; ++i) {
    unite(graph.far(Mark::tail)[i], parents[i]);
    unite(graph.near(Mark::tail)[i], children[i]);
  }
  return graph;
}

void MarkedGraph::to_marks(std::span<std::uint8_t> marks) const {
  std::fill(marks.begin(), marks.end(), std::uint8_t{0});
  for (const Mark m : {Mark::circle, Mark::arrow, Mark::tail})
    for (std::size_t i = 0; i < n_; ++i)
      for_each(far(m)[i], [&](std::size_t j) { marks[i * n_ + j] = static_cast<std::uint8_t>(m); });
}

BitMatrix MarkedGraph::product(const BitMatrix& a, const BitMatrix& b) const {
  BitMatrix result = a;
  for (std::size_t i = 0; i < n_; ++i) intersect(result[i], b[i]);
  return result;
}

BitMatrix MarkedGraph::adjacency_rows() const {
  BitMatrix result = far(Mark::arrow);
  for (std::size_t i = 0; i < n_; ++i) {
    unite(result[i], far(Mark::tail)[i]);
    unite(result[i], far(Mark::circle)[i]);
  }
  return result;
}

std::size_t MarkedGraph::edge_count() const {
  std::size_t ends = 0;
  for (const auto& m : far_) ends += count(m.words());
  return ends / 2;
}

bool consistent(std::span<const std::uint8_t> marks, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      // A mark without one at the other end is met in its own row: columns are read for edges only.
      const std::uint8_t m = marks[i * n + j];
      if (m != 0 && (m > 3 || i == j || marks[j * n + i] == 0)) return false;
    }
  return true;
}

}  // namespace dagathlon
