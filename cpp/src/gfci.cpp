#include "dagathlon/gfci.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace dagathlon {

namespace {

using NodeVector = std::vector<std::size_t>;

class GfciRun {
 public:
  GfciRun(IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options)
      : test_(test),
        scored_(scored),
        options_(options),
        skeleton_{scored.adjacency_rows(), SeparatingSets(scored.size()), {}} {}

  MarkedGraph run() {
    remove_edges();
    MarkedGraph graph = circles(skeleton_.adjacent);
    for (const auto& [a, b, c] : unshielded_triples(skeleton_.adjacent))
      if (is_collider(a, b, c)) {
        graph.set_edge(a, graph.mark(b, a), b, Mark::arrow);
        graph.set_edge(c, graph.mark(b, c), b, Mark::arrow);
      }
    direct_knowledge(graph, options_);
    OrientationOptions how;
    how.rules = options_.rules;
    orient(graph, [this](std::size_t a, std::size_t c, std::size_t b) { return in_separator(a, c, b); }, how);
    return graph;
  }

 private:
  // A latent common cause of two nodes shows as an edge between them inside a triangle.
  void remove_edges() {
    for (std::size_t a = 0; a < scored_.size(); ++a)
      for_each(scored_.adjacencies(a), [&](std::size_t c) {
        if (a > c || options_.is_fixed(a, c) || !intersects(scored_.adjacencies(a), scored_.adjacencies(c))) return;
        if (const auto set = separator(a, c)) separate(skeleton_, a, c, *set);
      });
  }

  std::optional<NodeVector> separator(std::size_t a, std::size_t c) {
    const NodeVector of_a = members_without(skeleton_.adjacent[a], c);
    const NodeVector of_c = members_without(skeleton_.adjacent[c], a);
    const std::size_t largest = std::min(std::max(of_a.size(), of_c.size()), options_.skeleton.max_order);
    for (std::size_t size = 0; size <= largest; ++size) {
      if (auto found = test_.separator(a, c, {of_a, size, {}}, options_.skeleton.alpha)) return found;
      if (auto found = test_.separator(a, c, {of_c, size, skeleton_.adjacent[a]}, options_.skeleton.alpha))
        return found;
    }
    return std::nullopt;
  }

  // The score decides about triples that were unshielded in its graph, tests about the others.
  bool is_collider(std::size_t a, std::size_t b, std::size_t c) const {
    if (scored_.adjacent(a, c)) return skeleton_.separating.known(a, c) && !skeleton_.separating.contains(a, c, b);
    return scored_.directed(a, b) && scored_.directed(c, b);
  }

  // Pairs that the score separated get a separating set when a rule asks for it.
  bool in_separator(std::size_t a, std::size_t c, std::size_t b) {
    if (!skeleton_.separating.known(a, b)) {
      const auto set = separator(a, b);
      if (!set) return true;
      skeleton_.separating.put(a, b, *set);
    }
    return skeleton_.separating.contains(a, b, c);
  }

  IndependenceTest& test_;
  const MarkedGraph& scored_;
  const PagOptions& options_;
  Skeleton skeleton_;
};

}  // namespace

LearnedPag learn_gfci(IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options) {
  return {GfciRun(test, scored, options).run()};
}

}  // namespace dagathlon
