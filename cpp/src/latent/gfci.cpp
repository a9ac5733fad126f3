#include "dagathlon/latent/gfci.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "dagathlon/graph/nodes.hpp"

namespace dagathlon {

namespace {

class GfciRun {
 public:
  GfciRun(IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options, const ScoreUse& use)
      : test_(test),
        scored_(scored),
        options_(options),
        use_(use),
        searched_(scored.adjacency_rows()),
        skeleton_{scored.adjacency_rows(), SeparatingSets(scored.size()), {}} {}

  MarkedGraph run() {
    remove_edges();
    MarkedGraph graph = circles(skeleton_.adjacent);
    if (use_.keep_arrows) direct_as_scored(graph);
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
  // A latent common cause of two nodes shows as an edge between them inside a triangle. Small sets are
  // tried for all edges before larger ones, so that few neighbours are left for those.
  void remove_edges() {
    for (std::size_t size = 0; size <= options_.skeleton.max_order && test_.worth_trying(size); ++size) {
      bool enough = false;
      for (std::size_t a = 0; a < scored_.size(); ++a)
        for (const std::size_t c : members_without(skeleton_.adjacent[a], a))
          if (a < c && is_tested(a, c)) enough = remove_edge(a, c, size) || enough;
      if (!enough) return;
    }
  }

  // Two arrows of the scored graph into one node stay, also where their tails are joined.
  void direct_as_scored(MarkedGraph& graph) const {
    for (std::size_t b = 0; b < scored_.size(); ++b) {
      std::vector<std::size_t> into;
      for (const std::size_t a : members_without(skeleton_.adjacent[b], b))
        if (scored_.directed(a, b)) into.push_back(a);
      if (into.size() < 2) continue;
      for (const std::size_t a : into) graph.set_edge(a, graph.mark(b, a), b, Mark::arrow);
    }
  }

  bool is_tested(std::size_t a, std::size_t c) const {
    if (options_.is_fixed(a, c)) return false;
    return use_.all_edges || intersects(scored_.adjacencies(a), scored_.adjacencies(c));
  }

  // Whether there were enough neighbours for sets of this size.
  bool remove_edge(std::size_t a, std::size_t c, std::size_t size) {
    if (const auto set = separator(a, c, size)) {
      separate(skeleton_, a, c, *set);
      if (!use_.scored_neighbours) searched_ = skeleton_.adjacent;
    }
    return std::max(count(searched_[a]), count(searched_[c])) > size;
  }

  // A set of neighbours of one end that separates it from the other.
  std::optional<NodeVector> separator(std::size_t a, std::size_t c, std::size_t size) {
    const NodeVector of_a = members_without(searched_[a], c);
    const NodeVector of_c = members_without(searched_[c], a);
    if (auto found = test_.separator(a, c, {of_a, size, {}}, options_.skeleton.alpha)) return found;
    return test_.separator(a, c, {of_c, size, searched_[a]}, options_.skeleton.alpha);
  }

  // The score decides about triples that were unshielded in its graph, tests about the others.
  bool is_collider(std::size_t a, std::size_t b, std::size_t c) const {
    if (scored_.adjacent(a, c)) return skeleton_.separating.known(a, c) && !skeleton_.separating.contains(a, c, b);
    return scored_.directed(a, b) && scored_.directed(c, b);
  }

  // Pairs that the score separated get a separating set when a rule asks for it.
  bool in_separator(std::size_t a, std::size_t c, std::size_t b) {
    if (!skeleton_.separating.known(a, b)) find_separator(a, b);
    return !skeleton_.separating.known(a, b) || skeleton_.separating.contains(a, b, c);
  }

  void find_separator(std::size_t a, std::size_t b) {
    const std::size_t neighbours = std::max(count(searched_[a]), count(searched_[b]));
    const std::size_t largest = std::min(neighbours, options_.skeleton.max_order);
    for (std::size_t size = 0; size <= largest && test_.worth_trying(size); ++size)
      if (const auto set = separator(a, b, size)) return skeleton_.separating.put(a, b, *set);
  }

  IndependenceTest& test_;
  const MarkedGraph& scored_;
  const PagOptions& options_;
  ScoreUse use_;
  // Whose neighbours separate: of the edges that are left, or of those that the score found.
  BitMatrix searched_;
  Skeleton skeleton_;
};

}  // namespace

LearnedPag learn_gfci(IndependenceTest& test, const MarkedGraph& scored, const PagOptions& options,
                      const ScoreUse& use) {
  return {GfciRun(test, scored, options, use).run()};
}

}  // namespace dagathlon
