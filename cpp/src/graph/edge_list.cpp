#include "dagathlon/graph/edge_list.hpp"

#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

namespace {

// Sets of the marks of one node, either of whose words belong to a neighbour.
Word joined_word(const MarkedGraph& graph, std::size_t i, std::size_t k) {
  return graph.at_far_end(Mark::circle, i)[k] | graph.at_far_end(Mark::arrow, i)[k] |
         graph.at_far_end(Mark::tail, i)[k];
}

}  // namespace

std::vector<std::int64_t> joined_pairs(const MarkedGraph& a, const MarkedGraph& b) {
  std::vector<std::int64_t> pairs;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = i / word_bits; k < words_for(a.size()); ++k) {
      const Word both = joined_word(a, i, k) | joined_word(b, i, k);
      for_each(ConstRow(&both, 1), [&](std::size_t bit) {
        const std::size_t j = k * word_bits + bit;
        if (j > i) pairs.insert(pairs.end(), {static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
      });
    }
  return pairs;
}

std::vector<std::uint8_t> marks_of_pairs(const MarkedGraph& graph, std::span<const std::int64_t> pairs) {
  std::vector<std::uint8_t> marks(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); k += 2) {
    const auto i = static_cast<std::size_t>(pairs[k]);
    const auto j = static_cast<std::size_t>(pairs[k + 1]);
    marks[k] = static_cast<std::uint8_t>(graph.mark(j, i));
    marks[k + 1] = static_cast<std::uint8_t>(graph.mark(i, j));
  }
  return marks;
}

MarkedGraph graph_of_edges(std::size_t n, std::span<const std::int64_t> pairs, std::span<const std::uint8_t> marks) {
  MarkedGraph graph(n);
  for (std::size_t k = 0; k < pairs.size(); k += 2)
    graph.set_edge(static_cast<std::size_t>(pairs[k]), static_cast<Mark>(marks[k]),
                   static_cast<std::size_t>(pairs[k + 1]), static_cast<Mark>(marks[k + 1]));
  return graph;
}

MarkedGraph induced(const MarkedGraph& graph, std::span<const std::size_t> nodes) {
  std::vector<std::size_t> place(graph.size(), no_node);
  for (std::size_t k = 0; k < nodes.size(); ++k) place[nodes[k]] = k;
  MarkedGraph result(nodes.size());
  for (const std::size_t i : nodes)
    for_each(graph.adjacencies(i), [&](std::size_t j) {
      if (i < j && place[j] != no_node) result.set_edge(place[i], graph.mark(j, i), place[j], graph.mark(i, j));
    });
  return result;
}

DAGATHLON_POPCOUNT_CLONES std::size_t shared_v_structures(const MarkedGraph& a, const MarkedGraph& b) {
  const std::size_t n = a.size();
  std::size_t ends = 0;
  BitSet into(n);
  for (std::size_t collider = 0; collider < n; ++collider) {
    into = BitSet(n, a.at_near_end(Mark::arrow, collider));
    intersect(into, b.at_near_end(Mark::arrow, collider));
    for_each(into, [&](std::size_t x) {
      for (std::size_t k = 0; k < words_for(n); ++k)
        ends += static_cast<std::size_t>(std::popcount(into.row()[k] & ~joined_word(a, x, k) & ~joined_word(b, x, k)));
      // A node is not apart from itself, whatever its rows say.
      --ends;
    });
  }
  // Each is met from both of its ends.
  return ends / 2;
}

}  // namespace dagathlon
