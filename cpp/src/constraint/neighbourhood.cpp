#include "dagathlon/constraint/neighbourhood.hpp"

#include <algorithm>

#include "dagathlon/constraint/hybrid_neighbours.hpp"
#include "dagathlon/test/ties.hpp"

namespace dagathlon {

bool any_subset_of(Nodes nodes, std::size_t smallest, std::size_t largest, const std::function<bool(Nodes)>& visit) {
  for (std::size_t size = smallest; size <= std::min(largest, nodes.size()); ++size)
    if (any_subset({nodes, size, {}}, visit)) return true;
  return false;
}

bool separable(IndependenceTest& test, std::size_t x, std::size_t y, Nodes nodes, std::size_t smallest,
               const NeighbourOptions& options) {
  return test.separable(x, y, {nodes, smallest, options.max_given}, options.alpha);
}

namespace {

struct Candidate {
  std::size_t node;
  double p_value;  // the highest so far: the weakest association
};

double rank(const Candidate& candidate) { return without_rounding(candidate.p_value); }

std::vector<Candidate> associated(IndependenceTest& test, std::size_t x, const NeighbourOptions& options) {
  std::vector<Candidate> found;
  for (const std::size_t y : others(test.size(), x)) {
    if (options.never(x, y) || options.always(x, y)) continue;
    const double p_value = test.association(x, y, {}, options.alpha);
    if (p_value < options.alpha) found.push_back({y, p_value});
  }
  return found;
}

NodeVector required_neighbours(std::size_t n, std::size_t x, const NeighbourOptions& options) {
  NodeVector result = others(n, x);
  std::erase_if(result, [&](std::size_t y) { return !options.always(x, y); });
  return result;
}

// Gives up members that some set of the others, as they were before, separates from x; the last one
// has been tested with all of them.
void prune(IndependenceTest& test, std::size_t x, NodeVector& members, const NeighbourOptions& options) {
  const NodeVector before = members;
  for (const std::size_t y : before) {
    if (y == before.back() || options.always(x, y)) continue;
    if (separable(test, x, y, without(before, y), 1, options)) std::erase(members, y);
  }
}

// Raises a candidate's p-value by the sets that the newest member makes possible.
void weaken(IndependenceTest& test, std::size_t x, Candidate& candidate, Nodes members,
            const NeighbourOptions& options) {
  const std::size_t newest = members.back();
  if (options.max_given == 0) return;
  const Nodes older = members.first(members.size() - 1);
  for (std::size_t size = 0; size <= std::min(options.max_given - 1, older.size()); ++size) {
    const double p_value = test.weakest(x, candidate.node, newest, {older, size, {}}, options.alpha);
    candidate.p_value = std::max(candidate.p_value, p_value);
    if (candidate.p_value >= options.alpha) return;
  }
}

NodeVector max_min(IndependenceTest& test, std::size_t x, const NeighbourOptions& options) {
  NodeVector members;
  std::vector<Candidate> left = associated(test, x, options);
  const auto admit = [&](std::size_t y) {
    members.push_back(y);
    for (Candidate& candidate : left) weaken(test, x, candidate, members, options);
    std::erase_if(left, [&](const Candidate& c) { return c.p_value >= options.alpha; });
  };
  for (const std::size_t y : required_neighbours(test.size(), x, options)) admit(y);
  while (!left.empty()) {
    const auto best = std::ranges::min_element(left, {}, rank);
    const std::size_t node = best->node;
    left.erase(best);
    admit(node);
  }
  prune(test, x, members, options);
  return members;
}

NodeVector hiton(IndependenceTest& test, std::size_t x, const NeighbourOptions& options) {
  NodeVector members = required_neighbours(test.size(), x, options);
  std::vector<Candidate> left = associated(test, x, options);
  std::ranges::stable_sort(left, {}, rank);
  for (const Candidate& next : left)
    if (!separable(test, x, next.node, members, 1, options)) members.push_back(next.node);
  prune(test, x, members, options);
  return members;
}

}  // namespace

NodeVector neighbourhood(IndependenceTest& test, std::size_t x, const NeighbourOptions& options) {
  switch (options.search) {
    case NeighbourSearch::max_min: return max_min(test, x, options);
    case NeighbourSearch::hiton: return hiton(test, x, options);
    case NeighbourSearch::hybrid: return hybrid_neighbours(test, x, options);
  }
  return {};
}

}  // namespace dagathlon
