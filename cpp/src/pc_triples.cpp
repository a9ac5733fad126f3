#include <algorithm>
#include <map>
#include <vector>

#include "dagathlon/pc.hpp"

namespace dagathlon {

namespace {

using NodeVector = std::vector<std::size_t>;

// All sets of neighbours of one of two nodes that separate them, smaller sets first.
class Separators {
 public:
  Separators(IndependenceTest& test, const Skeleton& skeleton, const SkeletonOptions& options)
      : test_(test), skeleton_(skeleton), options_(options) {}

  const std::vector<NodeVector>& of(std::size_t a, std::size_t c) {
    const auto [place, is_new] = found_.try_emplace({a, c});
    if (is_new) collect(a, c, place->second);
    return place->second;
  }

 private:
  void collect(std::size_t a, std::size_t c, std::vector<NodeVector>& sets) {
    const NodeVector of_a = members(skeleton_.adjacent[a]);
    const NodeVector of_c = members(skeleton_.adjacent[c]);
    const std::size_t largest = std::min(std::max(of_a.size(), of_c.size()), options_.max_order);
    for (std::size_t size = 0; size <= largest; ++size) {
      const auto keep = [&](Nodes set) {
        if (test_.independent(a, c, set, options_.alpha)) sets.emplace_back(set.begin(), set.end());
        return false;
      };
      any_subset({of_a, size, {}}, keep);
      any_subset({of_c, size, skeleton_.adjacent[a]}, keep);
    }
  }

  static NodeVector members(ConstRow row) {
    NodeVector result;
    for_each(row, [&](std::size_t node) { result.push_back(node); });
    return result;
  }

  IndependenceTest& test_;
  const Skeleton& skeleton_;
  const SkeletonOptions& options_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<NodeVector>> found_;
};

enum class Verdict : std::uint8_t { collider, no_collider, ambiguous };

Verdict judge(const std::vector<NodeVector>& sets, std::size_t middle, ColliderRule rule) {
  const auto with = static_cast<std::size_t>(
      std::ranges::count_if(sets, [&](const NodeVector& set) { return std::ranges::find(set, middle) != set.end(); }));
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
                               ColliderRule rule) {
  AmbiguousTriples ambiguous;
  Separators separators(test, skeleton, options);
  for (const Triple& triple : unshielded_triples(skeleton.adjacent)) {
    const Verdict verdict = judge(separators.of(triple[0], triple[2]), triple[1], rule);
    if (verdict == Verdict::ambiguous) ambiguous.insert(triple);
    else write_verdict(skeleton.separating, triple, verdict == Verdict::no_collider);
  }
  return ambiguous;
}

}  // namespace dagathlon
