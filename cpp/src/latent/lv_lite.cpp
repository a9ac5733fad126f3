#include "dagathlon/latent/lv_lite.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "dagathlon/graph/nodes.hpp"
#include "dagathlon/latent/pag.hpp"
#include "dagathlon/latent/path_blocker.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/graph/separation.hpp"

namespace dagathlon {

namespace {

NodeVector members(const BitSet& set) { return members_without(set.row(), no_node); }

// Calls visit(subset) for every subset, smaller ones first, until it returns true; whether it did.
template <class Visit>
bool any_subset(const NodeVector& of, Visit&& visit) {
  for (std::size_t size = 0; size <= of.size(); ++size) {
    std::vector<char> chosen(of.size(), 0);
    std::fill_n(chosen.begin(), size, char{1});
    do {
      pulse::beat();
      NodeVector subset;
      for (std::size_t k = 0; k < of.size(); ++k)
        if (chosen[k] != 0) subset.push_back(of[k]);
      if (visit(subset)) return true;
    } while (std::ranges::prev_permutation(chosen).found);
  }
  return false;
}

struct Separation {
  std::size_t x;
  std::size_t y;
  NodeVector set;
};

class LvLiteRun {
 public:
  LvLiteRun(IndependenceTest& test, const MarkedGraph& dag, const PagOptions& options)
      : test_(test),
        dag_(dag),
        options_(options),
        in_dag_(dag),
        skeleton_{dag.adjacency_rows(), SeparatingSets(dag.size()), {}},
        pag_(pag_of_mag(dag)) {}

  LearnedPag run(bool tested) {
    std::size_t refused = 0;
    pulse::until_deadline([&] {
      while (tested && round(refused)) {
      }
    });
    // The deadline may have come in the middle of a removal.
    skeleton_.adjacent = pag_.adjacency_rows();
    if (options_.forbidden.size() == 0 && options_.required.size() == 0 && options_.rules == all_rules)
      return {std::move(pag_), refused};
    return {oriented(true), refused};
  }

 private:
  // All edges are tested with one and the same graph; whether one could be taken out.
  bool round(std::size_t& refused) {
    const PathBlocker blocker(pag_);
    const MarkedGraph mag = directed_circles(pag_);
    const PathBlocker member(mag);
    std::vector<Separation> found;
    for (std::size_t x = 0; x < dag_.size(); ++x)
      for (const std::size_t y : members_without(skeleton_.adjacent[x], x))
        if (x < y && !options_.is_fixed(x, y))
          if (auto set = separator(blocker, member, x, y)) found.push_back({x, y, std::move(*set)});
    refused = found.size();
    if (found.size() > 1 && remove(found)) return true;
    for (const Separation& separation : found)
      if (remove({separation})) --refused;
    return refused < found.size();
  }

  std::optional<NodeVector> separator(const PathBlocker& blocker, const PathBlocker& member, std::size_t x,
                                      std::size_t y) {
    // Only inside triangles of the DAG can an edge be too many; edges around it may be gone by now.
    if (!intersects(dag_.adjacencies(x), dag_.adjacencies(y))) return std::nullopt;
    BitSet common(dag_.size(), blocker.adjacent()[x]);
    intersect(common, blocker.adjacent()[y]);
    BitSet open = blocker.undecided(x, y);
    unite(open, blocker.undecided(y, x));
    std::optional<NodeVector> found;
    any_subset(members(open), [&](const NodeVector& colliders) {
      BitSet closed(dag_.size());
      for (const std::size_t node : colliders) closed.set(node);
      for (const auto& [from, to] : {std::pair(x, y), std::pair(y, x)})
        for (const PathBlocker* graph : {&blocker, &member})
          if (!found)
            if (const auto blocking = graph->blocking_set(from, to, closed))
              found = within(blocker, {x, y, members(*blocking)}, common);
      return found.has_value();
    });
    return found;
  }

  // What is left of a blocking set that separates, when some common neighbours are taken for colliders.
  std::optional<NodeVector> within(const PathBlocker& blocker, const Separation& all, const BitSet& common) {
    NodeVector doubtful;
    for (const std::size_t node : all.set)
      if (common.test(node) && !blocker.is_collider(all.x, node, all.y)) doubtful.push_back(node);
    std::optional<NodeVector> found;
    any_subset(doubtful, [&](const NodeVector& colliders) {
      NodeVector set;
      for (const std::size_t node : all.set)
        if (std::ranges::find(colliders, node) == colliders.end()) set.push_back(node);
      if (set.size() > options_.skeleton.max_order || !test_.worth_trying(set.size())) return false;
      if (!test_.independent(all.x, all.y, set, options_.skeleton.alpha)) return false;
      found = std::move(set);
      return true;
    });
    return found;
  }

  // Whether a PAG is left without these edges. Edges that only together leave one are why all are tried at once first.
  bool remove(const std::vector<Separation>& separations) {
    pulse::look();
    const BitMatrix before = skeleton_.adjacent;
    for (const auto& [x, y, set] : separations) separate(skeleton_, x, y, set);
    MarkedGraph candidate = oriented(false);
    if (is_pag(candidate)) {
      pag_ = std::move(candidate);
      return true;
    }
    skeleton_.adjacent = before;
    return false;
  }

  MarkedGraph oriented(bool with_knowledge) {
    MarkedGraph graph = circles(skeleton_.adjacent);
    for (const auto& [a, b, c] : unshielded_triples(skeleton_.adjacent))
      if (is_collider(a, b, c)) {
        graph.set_edge(a, graph.mark(b, a), b, Mark::arrow);
        graph.set_edge(c, graph.mark(b, c), b, Mark::arrow);
      }
    OrientationOptions how;
    if (with_knowledge) {
      direct_knowledge(graph, options_);
      how.rules = options_.rules;
    }
    orient(graph, [this](std::size_t a, std::size_t c, std::size_t b) { return in_separator(a, c, b); }, how);
    return graph;
  }

  // The DAG decides about pairs that it does not join.
  bool is_collider(std::size_t a, std::size_t b, std::size_t c) const {
    if (dag_.adjacent(a, c)) return !skeleton_.separating.contains(a, c, b);
    return dag_.directed(a, b) && dag_.directed(c, b);
  }
  bool in_separator(std::size_t a, std::size_t c, std::size_t b) const {
    if (dag_.adjacent(a, b)) return skeleton_.separating.contains(a, b, c);
    return in_dag_.in_separating_set(a, c, b);
  }

  IndependenceTest& test_;
  const MarkedGraph& dag_;
  const PagOptions& options_;
  SeparationOracle in_dag_;
  Skeleton skeleton_;
  MarkedGraph pag_;
};

}  // namespace

LearnedPag learn_lv_lite(IndependenceTest& test, const MarkedGraph& dag, const PagOptions& options, bool tested) {
  return LvLiteRun(test, dag, options).run(tested);
}

}  // namespace dagathlon
