#include "dagathlon/latent/fci.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

bool may_pass(const MarkedGraph& graph, std::size_t a, std::size_t b, std::size_t c) {
  return (graph.mark(a, b) == Mark::arrow && graph.mark(c, b) == Mark::arrow) || graph.adjacent(a, c);
}

// The skeleton's o-o graph with the colliders, but for ambiguous triples.
MarkedGraph with_colliders(const Skeleton& skeleton, const AmbiguousTriples& ambiguous) {
  MarkedGraph graph = circles(skeleton.adjacent);
  const SeparatorLookup separated = separator_lookup(skeleton.separating);
  orient_colliders(graph, [&](std::size_t a, std::size_t b, std::size_t c) {
    return separated(a, b, c) || is_ambiguous(ambiguous, a, b, c);
  });
  return graph;
}

// The nodes with a path to x or y on which no mark forbids that all edges are directed along it.
BitSet possible_ancestors(const MarkedGraph& graph, std::size_t x, std::size_t y) {
  BitSet found(graph.size());
  std::vector<std::size_t> open{x, y};
  found.set(x);
  found.set(y);
  while (!open.empty()) {
    const std::size_t b = open.back();
    open.pop_back();
    for_each(graph.adjacencies(b), [&](std::size_t a) {
      if (found.test(a) || graph.mark(b, a) == Mark::arrow || graph.mark(a, b) == Mark::tail) return;
      found.set(a);
      open.push_back(a);
    });
  }
  return found;
}

// The candidates of all pairs come from the graph at the beginning, so that their order matters less.
class PossibleDSepPass {
 public:
  PossibleDSepPass(IndependenceTest& test, Skeleton& skeleton, const PagOptions& options, std::size_t max_order)
      : test_(test), skeleton_(skeleton), options_(options), max_order_(max_order) {}

  void try_subsets(const MarkedGraph& graph) {
    BitSet all(graph.size());
    for (std::size_t x = 0; x < graph.size(); ++x) all.set(x);
    std::vector<BitSet> reached;
    for (std::size_t x = 0; x < graph.size(); ++x) reached.push_back(possible_d_sep(graph, x, all));
    for_each_edge(
        [&](std::size_t x, std::size_t y, ConstRow neighbours) { try_pair(x, y, reached[x], neighbours, 1); });
  }

  // A set that separates only with nodes which are no neighbours has two members or more.
  void try_ancestors(const MarkedGraph& graph) {
    for_each_edge([&](std::size_t x, std::size_t y, ConstRow) {
      const BitSet reached = possible_d_sep(graph, x, possible_ancestors(graph, x, y));
      try_pair(x, y, reached, graph.adjacencies(x), 2);
    });
  }

 private:
  template <class Visit>
  void for_each_edge(Visit&& visit) {
    const std::size_t n = skeleton_.adjacent.size();
    for (std::size_t x = 0; x < n; ++x) {
      const BitSet neighbours(n, skeleton_.adjacent[x]);
      for_each(neighbours, [&](std::size_t y) {
        if (!options_.is_fixed(x, y)) visit(x, y, neighbours.row());
      });
    }
  }

  // Sets of neighbours were tried by the first pass.
  void try_pair(std::size_t x, std::size_t y, const BitSet& reached, ConstRow neighbours, std::size_t smallest) {
    const std::vector<std::size_t> candidates = members_without(reached, y);
    const BitSet tried(skeleton_.adjacent.size(), neighbours);
    if (std::ranges::all_of(candidates, [&](std::size_t z) { return tried.test(z); })) return;
    for (std::size_t size = smallest; size <= std::min(max_order_, candidates.size()); ++size) {
      if (!test_.worth_trying(size)) return;
      const auto found = test_.separator(x, y, {candidates, size, tried}, options_.skeleton.alpha);
      if (found) return separate(skeleton_, x, y, *found);
    }
  }

  IndependenceTest& test_;
  Skeleton& skeleton_;
  const PagOptions& options_;
  std::size_t max_order_;
};

class FciRun {
 public:
  FciRun(IndependenceTest& test, const FciOptions& options)
      : test_(test), options_(options), skeleton_(find_skeleton(test, options.skeleton)) {}

  LearnedPag run() {
    if (options_.second_pass == SecondPass::hierarchy) separate_by_hierarchy(test_, skeleton_, options_);
    else if (options_.second_pass != SecondPass::none) search_possible_d_sep();
    const AmbiguousTriples ambiguous = judge(skeleton_);
    MarkedGraph graph = with_colliders(skeleton_, ambiguous);
    direct_knowledge(graph, options_);
    OrientationOptions how = pcalg_rules(options_, RuleTurns::in_groups);
    if (!ambiguous.empty())
      how.ambiguous = [&](std::size_t a, std::size_t b, std::size_t c) { return is_ambiguous(ambiguous, a, b, c); };
    if (options_.test_paths) how.separates_ends = [this](Nodes path) { return separates_ends(path); };
    orient(graph, separator_lookup(skeleton_.separating), how);
    return {std::move(graph), ambiguous.size()};
  }

 private:
  // Whether the last inner node of a path helps to separate its ends: yes if all inner nodes separate them,
  // no if all but this one do, and as the set says that separated them if neither is so.
  bool separates_ends(Nodes path) {
    const std::size_t d = path.front(), c = path.back(), b = path[path.size() - 2];
    const Nodes inner = path.subspan(1, path.size() - 2);
    if (test_.independent(d, c, inner, options_.skeleton.alpha)) return true;
    if (test_.independent(d, c, inner.first(inner.size() - 1), options_.skeleton.alpha)) return false;
    return separator_lookup(skeleton_.separating)(d, b, c);
  }

  AmbiguousTriples judge(Skeleton& skeleton) {
    return check_triples(test_, skeleton, options_.skeleton, options_.colliders, Votes::with_known);
  }

  void search_possible_d_sep() {
    // The verdicts on the first skeleton are for this pass only: the last skeleton may have others.
    Skeleton judged = skeleton_;
    const AmbiguousTriples ambiguous = judge(judged);
    PossibleDSepPass pass(test_, skeleton_, options_, max_order());
    const MarkedGraph graph = with_colliders(judged, ambiguous);
    if (options_.second_pass == SecondPass::ancestors) pass.try_ancestors(graph);
    else pass.try_subsets(graph);
  }

  std::size_t max_order() const {
    if (options_.second_pass != SecondPass::adaptive) return options_.skeleton.max_order;
    std::size_t largest = 0;
    for (std::size_t x = 0; x < skeleton_.adjacent.size(); ++x)
      for (std::size_t y = x + 1; y < skeleton_.adjacent.size(); ++y)
        largest = std::max(largest, skeleton_.separating.get(x, y).size());
    return largest;
  }

  IndependenceTest& test_;
  const FciOptions& options_;
  Skeleton skeleton_;
};

}  // namespace

BitSet possible_d_sep(const MarkedGraph& graph, std::size_t x, const BitSet& allowed) {
  const std::size_t n = graph.size();
  BitSet reached(n);
  BitMatrix seen(n);
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  const auto visit = [&](std::size_t a, std::size_t b) {
    if (seen.test(a, b) || !allowed.test(b)) return;
    seen.set(a, b);
    reached.set(b);
    steps.emplace_back(a, b);
  };
  for_each(graph.adjacencies(x), [&](std::size_t b) { visit(x, b); });
  while (!steps.empty()) {
    const auto [a, b] = steps.back();
    steps.pop_back();
    pulse::beat();
    for_each(graph.adjacencies(b), [&](std::size_t c) {
      if (c != a && c != x && may_pass(graph, a, b, c)) visit(b, c);
    });
  }
  return reached;
}

LearnedPag learn_fci(IndependenceTest& test, const FciOptions& options) { return FciRun(test, options).run(); }

}  // namespace dagathlon
