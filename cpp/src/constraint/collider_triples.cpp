// How the sets of neighbours that separate the ends of a triple decide about its middle.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dagathlon/graph/nodes.hpp"

#include "dagathlon/constraint/colliders.hpp"

namespace dagathlon {

namespace {

using Pair = std::pair<std::size_t, std::size_t>;

struct Tried {
  // Sets that separate, as often as they have a vote, smaller ones first.
  std::vector<NodeVector> separating;
  // The set with the highest p-value, whether it separates or not.
  NodeVector best;
  double best_p_value = -1;
};

class Separators {
 public:
  Separators(IndependenceTest& test, const Skeleton& skeleton, const SkeletonOptions& options, ColliderRule rule,
             Votes votes)
      : test_(test), skeleton_(skeleton), known_(skeleton.separating), options_(options), rule_(rule), votes_(votes) {}

  const Tried& of(std::size_t a, std::size_t c) {
    const auto [place, is_new] = found_.try_emplace({a, c});
    if (is_new) collect(a, c, place->second);
    return place->second;
  }

 private:
  void collect(std::size_t a, std::size_t c, Tried& tried) {
    const NodeVector of_a = conditionable(a, a, c);
    const NodeVector of_c = conditionable(c, a, c);
    const std::size_t largest = std::min(std::max(of_a.size(), of_c.size()), options_.max_order);
    const auto note = [&](Nodes set) {
      judge(a, c, set, tried);
      return false;
    };
    for (std::size_t size = 0; size <= largest && test_.worth_trying(size); ++size) {
      any_subset({of_a, size, {}}, note);
      any_subset({of_c, size, skeleton_.adjacent[a]}, note);
    }
    if (votes_ == Votes::with_known && known_.known(a, c)) add_known(a, c, tried);
  }

  void add_known(std::size_t a, std::size_t c, Tried& tried) {
    const auto known = known_.get(a, c);
    NodeVector set(known.begin(), known.end());
    std::ranges::sort(set);
    if (rule_ == ColliderRule::highest_p) judge(a, c, set, tried);
    else if (std::ranges::find(tried.separating, set) == tried.separating.end())
      tried.separating.push_back(std::move(set));
  }

  void judge(std::size_t a, std::size_t c, Nodes set, Tried& tried) {
    if (rule_ != ColliderRule::highest_p) {
      if (!test_.independent(a, c, set, options_.alpha)) return;
      const std::size_t votes = votes_ == Votes::by_end && of_both(a, c, set) ? 2 : 1;
      tried.separating.insert(tried.separating.end(), votes, NodeVector(set.begin(), set.end()));
      return;
    }
    const double p_value = test_.test(a, c, set).p_value;
    if (p_value <= tried.best_p_value) return;
    tried.best.assign(set.begin(), set.end());
    tried.best_p_value = p_value;
  }

  bool of_both(std::size_t a, std::size_t c, Nodes set) const {
    return std::ranges::all_of(
        set, [&](std::size_t z) { return skeleton_.adjacent.test(a, z) && skeleton_.adjacent.test(c, z); });
  }

  NodeVector conditionable(std::size_t node, std::size_t a, std::size_t c) const {
    NodeVector result;
    for_each(skeleton_.adjacent[node], [&](std::size_t z) {
      if (options_.may_condition(z, a, c)) result.push_back(z);
    });
    return result;
  }

  IndependenceTest& test_;
  const Skeleton& skeleton_;
  // As they were found: the verdicts are written over those of the skeleton.
  const SeparatingSets known_;
  const SkeletonOptions& options_;
  ColliderRule rule_;
  Votes votes_;
  std::map<Pair, Tried> found_;
};

enum class Verdict : std::uint8_t { collider, no_collider, ambiguous };

Verdict judge(const std::vector<NodeVector>& sets, std::size_t middle, ColliderRule rule) {
  const auto has_middle = [&](const NodeVector& set) { return std::ranges::find(set, middle) != set.end(); };
  const auto with = static_cast<std::size_t>(std::ranges::count_if(sets, has_middle));
  if (sets.empty()) return Verdict::ambiguous;
  if (with == 0) return Verdict::collider;
  if (with == sets.size()) return Verdict::no_collider;
  if (rule == ColliderRule::conservative || 2 * with == sets.size()) return Verdict::ambiguous;
  return 2 * with < sets.size() ? Verdict::collider : Verdict::no_collider;
}

void write_verdict(SeparatingSets& separating, const Triple& triple, bool inside) {
  const auto [a, b, c] = triple;
  if (separating.contains(a, c, b) == inside) return;
  NodeVector set;
  for (const std::size_t node : separating.get(a, c))
    if (node != b) set.push_back(node);
  if (inside) set.push_back(b);
  separating.put(a, c, set);
}

}  // namespace

AmbiguousTriples check_triples(IndependenceTest& test, Skeleton& skeleton, const SkeletonOptions& options,
                               ColliderRule rule, Votes votes) {
  AmbiguousTriples ambiguous;
  if (rule == ColliderRule::separating_set) return ambiguous;
  Separators separators(test, skeleton, options, rule, votes);
  for (const Triple& triple : unshielded_triples(skeleton.adjacent)) {
    const Tried& tried = separators.of(triple[0], triple[2]);
    if (rule == ColliderRule::highest_p) {
      skeleton.separating.put(triple[0], triple[2], tried.best);
      continue;
    }
    const Verdict verdict = judge(tried.separating, triple[1], rule);
    if (verdict == Verdict::ambiguous) ambiguous.insert(triple);
    else write_verdict(skeleton.separating, triple, verdict == Verdict::no_collider);
  }
  return ambiguous;
}

}  // namespace dagathlon
