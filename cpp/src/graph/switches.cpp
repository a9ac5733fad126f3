#include "dagathlon/graph/switches.hpp"

#include <algorithm>
#include <numeric>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

std::vector<Pair> graph_with_degrees(std::span<const std::size_t> degrees) {
  std::vector<std::size_t> open(degrees.begin(), degrees.end());
  std::vector<std::size_t> nodes(open.size());
  std::iota(nodes.begin(), nodes.end(), std::size_t{0});
  std::vector<Pair> edges;
  const auto more_open = [&](std::size_t a, std::size_t b) { return open[a] != open[b] ? open[a] > open[b] : a < b; };
  while (!nodes.empty()) {
    std::swap(nodes.front(), *std::ranges::min_element(nodes, more_open));
    const std::size_t node = nodes.front();
    const std::size_t degree = open[node];
    if (degree == 0) return edges;
    if (degree >= nodes.size()) return {};
    // The nodes with the most open ends; only as far as they are needed, and in a fixed order.
    const auto rest = nodes.begin() + 1;
    const auto end = rest + static_cast<std::ptrdiff_t>(degree);
    std::nth_element(rest, end - 1, nodes.end(), more_open);
    std::sort(rest, end, more_open);
    if (open[*(end - 1)] == 0) return {};
    for (auto other = rest; other != end; ++other) {
      edges.push_back({node, *other});
      --open[*other];
    }
    std::swap(nodes.front(), nodes.back());
    nodes.pop_back();
  }
  return edges;
}

void switch_edges(std::vector<Pair>& edges, std::size_t n, std::size_t attempts, Stream& stream) {
  if (edges.size() < 2) return;
  BitMatrix joined(n);
  for (const auto& [a, b] : edges) {
    joined.set(a, b);
    joined.set(b, a);
  }
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    Pair& first = edges[stream.below(edges.size())];
    Pair& second = edges[stream.below(edges.size())];
    if (stream.below(2) == 1) std::swap(second[0], second[1]);
    const auto [a, b] = first;
    const auto [c, d] = second;
    // a-b and c-d become a-d and c-b.
    if (a == d || c == b || joined.test(a, d) || joined.test(c, b)) continue;
    for (const auto& [x, y] : {first, second}) {
      joined.reset(x, y);
      joined.reset(y, x);
    }
    first = {a, d};
    second = {c, b};
    for (const auto& [x, y] : {first, second}) {
      joined.set(x, y);
      joined.set(y, x);
    }
  }
}

}  // namespace dagathlon
