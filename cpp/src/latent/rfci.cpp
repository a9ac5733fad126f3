#include "dagathlon/latent/rfci.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "dagathlon/graph/nodes.hpp"

namespace dagathlon {

namespace {

class RfciRun {
 public:
  RfciRun(IndependenceTest& test, const PagOptions& options, RfciChecks checks)
      : test_(test),
        options_(options),
        as_pcalg_(checks == RfciChecks::pcalg),
        skeleton_(find_skeleton(test, options.skeleton)),
        graph_(test.size()) {}

  MarkedGraph run() {
    const std::vector<Triple> triples = unshielded_triples(skeleton_.adjacent);
    graph_ = circles(skeleton_.adjacent);
    const std::vector<Triple> confirmed = confirm({triples.begin(), triples.end()});
    direct_colliders(confirmed);
    direct_knowledge(graph_, options_);
    OrientationOptions how = pcalg_rules(options_, RuleTurns::all);
    how.confirm_path = [this](Nodes path) { return confirm_path(path); };
    orient(graph_, separator_lookup(skeleton_.separating), how);
    return std::move(graph_);
  }

 private:
  NodeVector separator_without(std::size_t x, std::size_t y, std::size_t node) const {
    NodeVector result;
    for (const std::size_t other : skeleton_.separating.get(x, y))
      if (other != node) result.push_back(other);
    return result;
  }

  bool intact(const Triple& t) const { return graph_.adjacent(t[0], t[1]) && graph_.adjacent(t[1], t[2]); }

  // Keeps the triples whose edges are dependent given the set that separated the ends, and takes the
  // other edges out; the triples that this makes unshielded come last, and pcalg keeps them unasked.
  std::vector<Triple> confirm(std::deque<Triple> pending) {
    std::vector<Triple> confirmed;
    for (std::size_t given = pending.size(); !pending.empty(); given -= given > 0) {
      const Triple triple = pending.front();
      pending.pop_front();
      if (as_pcalg_ && given == 0) {
        confirmed.push_back(triple);
        continue;
      }
      if (!intact(triple) || !skeleton_.separating.known(triple[0], triple[2])) continue;
      const auto [a, b, c] = triple;
      const NodeVector set = separator_without(a, c, b);
      bool real = true;
      for (const std::size_t end : {a, c})
        if (graph_.adjacent(end, b) && separated(end, b, set)) {
          real = false;
          remove_edge(end, b, *smallest_separator(end, b, set), pending, as_pcalg_);
        }
      if (real) confirmed.push_back(triple);
    }
    return confirmed;
  }

  bool separated(std::size_t x, std::size_t y, const NodeVector& set) {
    return !options_.is_fixed(x, y) && test_.independent(x, y, set, options_.skeleton.alpha);
  }

  std::optional<NodeVector> smallest_separator(std::size_t x, std::size_t y, const NodeVector& set) {
    for (std::size_t size = 0; size < set.size(); ++size)
      if (auto found = test_.separator(x, y, {set, size, {}}, options_.skeleton.alpha)) return found;
    return set;
  }

  // Appends the triples that become unshielded; where only circles count, those whose edges have circles at all ends.
  void remove_edge(std::size_t x, std::size_t y, const NodeVector& set, std::deque<Triple>& pending,
                   bool only_circles) {
    separate(skeleton_, x, y, set);
    graph_.remove_edge(x, y);
    BitSet between(graph_.size(), skeleton_.adjacent[x]);
    intersect(between, skeleton_.adjacent[y]);
    if (only_circles)
      for (const std::size_t end : {x, y}) {
        intersect(between, graph_.at_far_end(Mark::circle, end));
        intersect(between, graph_.at_near_end(Mark::circle, end));
      }
    for_each(between, [&](std::size_t node) { pending.push_back({std::min(x, y), node, std::max(x, y)}); });
  }

  void direct_colliders(const std::vector<Triple>& confirmed) {
    for (const auto& triple : confirmed) {
      const auto [a, b, c] = triple;
      if (!intact(triple) || skeleton_.separating.contains(a, c, b)) continue;
      graph_.set_edge(a, graph_.mark(b, a), b, Mark::arrow);
      graph_.set_edge(c, graph_.mark(b, c), b, Mark::arrow);
    }
  }

  // The edges of a discriminating path that are asked about. pcalg keeps the first two and the last two nodes of a path
  // only; where the second and the last but one are not adjacent, its search may never end, and ours goes on.
  std::vector<std::pair<std::size_t, std::size_t>> asked_edges(Nodes path) const {
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t k = 0; k + 1 < path.size(); ++k)
      if (!as_pcalg_ || k == 0 || k + 2 == path.size()) edges.emplace_back(path[k], path[k + 1]);
    const std::size_t second = path[1], before_last = path[path.size() - 2];
    if (as_pcalg_ && graph_.adjacent(second, before_last)) edges.insert(edges.begin() + 1, {second, before_last});
    return edges;
  }

  // Whether no subset of the set that separated the ends of a discriminating path separates two of
  // its neighbouring nodes; otherwise the first such edge is taken out.
  bool confirm_path(Nodes path) {
    const auto known = skeleton_.separating.get(path.front(), path.back());
    for (const auto& [x, y] : asked_edges(path)) {
      if (options_.is_fixed(x, y)) continue;
      NodeVector set;
      std::ranges::copy_if(known, std::back_inserter(set),
                           [x = x, y = y](std::size_t node) { return node != x && node != y; });
      const auto found = any_separator(x, y, set);
      if (!found) continue;
      std::deque<Triple> pending;
      remove_edge(x, y, *found, pending, false);
      direct_colliders(confirm(std::move(pending)));
      direct_knowledge(graph_, options_);
      return false;
    }
    return true;
  }

  std::optional<NodeVector> any_separator(std::size_t x, std::size_t y, const NodeVector& set) {
    for (std::size_t size = 0; size <= set.size(); ++size)
      if (auto found = test_.separator(x, y, {set, size, {}}, options_.skeleton.alpha)) return found;
    return std::nullopt;
  }

  IndependenceTest& test_;
  const PagOptions& options_;
  bool as_pcalg_;
  Skeleton skeleton_;
  MarkedGraph graph_;
};

}  // namespace

LearnedPag learn_rfci(IndependenceTest& test, const PagOptions& options, RfciChecks checks) {
  return {RfciRun(test, options, checks).run()};
}

}  // namespace dagathlon
