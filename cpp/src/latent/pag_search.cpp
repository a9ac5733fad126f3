#include "dagathlon/latent/pag_search.hpp"

namespace dagathlon {

MarkedGraph circles(const BitMatrix& adjacent) {
  MarkedGraph graph(adjacent.size());
  for (std::size_t i = 0; i < adjacent.size(); ++i)
    for_each(adjacent[i], [&](std::size_t j) { graph.set_edge(i, Mark::circle, j, Mark::circle); });
  return graph;
}

SeparatorLookup separator_lookup(const SeparatingSets& separating) {
  return [&separating](std::size_t a, std::size_t c, std::size_t b) {
    return !separating.known(a, b) || separating.contains(a, b, c);
  };
}

void direct_knowledge(MarkedGraph& graph, const PagOptions& options) {
  for (std::size_t i = 0; i < options.forbidden.size(); ++i)
    for_each(options.forbidden[i], [&](std::size_t j) {
      if (graph.adjacent(i, j) && !options.required.test(i, j)) graph.set_edge(i, Mark::arrow, j, graph.mark(i, j));
    });
  for (std::size_t i = 0; i < options.required.size(); ++i)
    for_each(options.required[i], [&](std::size_t j) {
      if (graph.adjacent(i, j)) graph.set_directed(i, j);
    });
}

OrientationOptions pcalg_rules(const PagOptions& options, RuleTurns turns) {
  OrientationOptions how;
  how.rules = options.rules;
  how.turns = turns;
  how.as_pcalg = true;
  const std::size_t n = options.forbidden.size();
  if (n > 0) how.known = BitMatrix(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (options.forbidden.test(i, j) || options.required.test(i, j)) {
        how.known.set(i, j);
        how.known.set(j, i);
      }
  return how;
}

void separate(Skeleton& skeleton, std::size_t x, std::size_t y, Nodes set) {
  skeleton.adjacent.reset(x, y);
  skeleton.adjacent.reset(y, x);
  skeleton.separating.put(x, y, set);
}

std::vector<std::size_t> members_without(ConstRow row, std::size_t node) {
  std::vector<std::size_t> result;
  for_each(row, [&](std::size_t other) {
    if (other != node) result.push_back(other);
  });
  return result;
}

}  // namespace dagathlon
