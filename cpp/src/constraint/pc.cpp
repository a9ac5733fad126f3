#include "dagathlon/constraint/pc.hpp"

#include <numeric>
#include <optional>
#include <utility>

#include "dagathlon/graph/dag.hpp"
#include "dagathlon/graph/equivalence.hpp"
#include "dagathlon/graph/orientation_rules.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t max_retries = 100;

std::vector<std::size_t> random_order(std::size_t n, Stream& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  return order;
}

MarkedGraph random_cpdag(const BitMatrix& adjacent, Stream& random) {
  const std::vector<std::size_t> order = random_order(adjacent.size(), random);
  std::vector<std::size_t> rank(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
  MarkedGraph dag(adjacent.size());
  for (std::size_t a = 0; a < adjacent.size(); ++a)
    for_each(adjacent[a], [&](std::size_t b) {
      if (rank[a] < rank[b]) dag.set_directed(a, b);
    });
  return cpdag_of_dag(dag, order);
}

class PcRun {
 public:
  PcRun(IndependenceTest& test, const PcOptions& options)
      : test_(options.correction ? *options.correction : test),
        options_(options),
        skeleton_(find_skeleton(test, options.skeleton)) {
    if (options.correction) recheck_edges(test_, skeleton_, options.skeleton);
    ambiguous_ = check_triples(test_, skeleton_, options.skeleton, options.rule, Votes::by_end);
  }

  PcResult run() {
    const OrientationState colliders = with_colliders();
    return {finished(colliders), std::move(skeleton_.tests), ambiguous_.size()};
  }

 private:
  OrientationState start() const {
    OrientationState state(skeleton_.adjacent);
    if (options_.forbidden.size() > 0) state.lock_knowledge(options_.forbidden, options_.required);
    return state;
  }

  OrientationState with_colliders() {
    OrientationState state = start();
    orient_colliders(state, test_, skeleton_.separating, ambiguous_, {options_.order, options_.skeleton.sequence});
    return state;
  }

  MarkedGraph finished(const OrientationState& colliders) {
    if (options_.contradiction == Contradiction::keep) return closed(colliders);
    if (auto found = resolved(colliders)) return *found;
    Stream random(options_.seed, 0);
    if (options_.contradiction == Contradiction::retry)
      for (std::size_t k = 0; k < max_retries; ++k)
        if (auto found = resolved(colliders_in_random_order(random))) return *found;
    return random_cpdag(skeleton_.adjacent, random);
  }

  // The CPDAG of a DAG with these colliders, if there is one; what knowledge directs stays directed.
  std::optional<MarkedGraph> resolved(const OrientationState& state) const {
    std::optional<MarkedGraph> found = cpdag(state.graph());
    if (found && options_.forbidden.size() > 0) return closed(state);
    return found;
  }

  OrientationState colliders_in_random_order(Stream& random) const {
    std::vector<Triple> colliders;
    for (const Triple& t : unshielded_triples(skeleton_.adjacent))
      if (!skeleton_.separating.contains(t[0], t[2], t[1]) && !is_ambiguous(ambiguous_, t[0], t[1], t[2]))
        colliders.push_back(t);
    OrientationState state = start();
    for (const std::size_t k : random_order(colliders.size(), random)) {
      const auto [a, b, c] = colliders[k];
      if (!state.leaves(a, b) || !state.leaves(c, b)) continue;
      state.direct(a, b);
      state.direct(c, b);
    }
    return state;
  }

  MarkedGraph closed(OrientationState state) const {
    RuleOptions rules;
    rules.mark_conflicts = options_.order == ColliderOrder::with_conflicts;
    rules.acyclic = options_.acyclic;
    rules.fourth = options_.forbidden.size() > 0;
    rules.no_new_colliders = options_.order == ColliderOrder::by_p_value;
    apply_rules(state, options_.open_as_noncolliders ? AmbiguousTriples{} : ambiguous_, rules);
    return state.graph();
  }

  IndependenceTest& test_;
  const PcOptions& options_;
  Skeleton skeleton_;
  AmbiguousTriples ambiguous_;
};

}  // namespace

PcResult learn_pc(IndependenceTest& test, const PcOptions& options) { return PcRun(test, options).run(); }

}  // namespace dagathlon
