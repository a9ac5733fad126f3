// The second pass of FCI+ (Claassen, Mooij and Heskes 2013): the sets to try come from separations that
// are known, so that their number is polynomial for graphs of bounded degree.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "dagathlon/graph/nodes.hpp"

#include "dagathlon/latent/fci.hpp"

namespace dagathlon {

namespace {

// Choices of so many neighbours of both ends are tried as long as there are no more choices than this:
// all of them up to eleven neighbours. On data the degree may be far above that of the graph.
constexpr double max_choices = 500;

class HierarchyPass {
 public:
  HierarchyPass(IndependenceTest& test, Skeleton& skeleton, const PagOptions& options)
      : test_(test), skeleton_(skeleton), options_(options), graph_(circles(skeleton.adjacent)) {}

  void run() {
    for (std::size_t x = 0; x < graph_.size(); ++x)
      for (std::size_t y = x + 1; y < graph_.size(); ++y)
        if (skeleton_.separating.known(x, y)) add_arrows(x, y);
    while (remove_edges()) {
    }
  }

 private:
  // A node that makes a minimal separation of x and y fail is a cause of neither x, nor y, nor any
  // node of the separating set.
  void add_arrows(std::size_t x, std::size_t y) {
    const auto known = skeleton_.separating.get(x, y);
    NodeVector involved(known.begin(), known.end());
    const NodeVector set = involved;
    involved.insert(involved.end(), {x, y});
    BitSet around(graph_.size());
    for (const std::size_t node : involved) unite(around, skeleton_.adjacent[node]);
    for (const std::size_t node : involved) around.reset(node);
    for_each(around, [&](std::size_t node) {
      NodeVector larger = set;
      larger.push_back(node);
      if (test_.independent(x, y, larger, options_.skeleton.alpha)) return;
      for (const std::size_t other : involved)
        if (graph_.adjacent(other, node)) graph_.set_edge(other, graph_.mark(node, other), node, Mark::arrow);
    });
  }

  // An edge that needs this pass lies between two nodes each of which has a bidirected edge to
  // another node.
  bool has_spouse_beside(std::size_t x, std::size_t y) const {
    BitSet spouses = graph_.spouses(x);
    spouses.reset(y);
    return any(spouses.row());
  }

  // One round over all edges; whether any went.
  bool remove_edges() {
    bool removed = false;
    for (std::size_t x = 0; x < graph_.size(); ++x)
      for (const std::size_t y : members_without(skeleton_.adjacent[x], x))
        if (x < y && !options_.is_fixed(x, y) && has_spouse_beside(x, y) && has_spouse_beside(y, x))
          removed = try_pair(x, y) || removed;
    return removed;
  }

  // Tries the hierarchies of all small choices among the neighbours of both ends.
  bool try_pair(std::size_t x, std::size_t y) {
    const NodeVector of_x = members_without(skeleton_.adjacent[x], y);
    const NodeVector of_y = members_without(skeleton_.adjacent[y], x);
    std::set<NodeVector> tried;
    const std::size_t all = of_x.size() + of_y.size();
    double choices = 1;
    for (std::size_t total = 1; total <= all; ++total) {
      choices *= static_cast<double>(all - total + 1) / static_cast<double>(total);
      if (choices > max_choices) return false;
      for (std::size_t k = total > of_y.size() ? total - of_y.size() : 0; k <= std::min(total, of_x.size()); ++k)
        if (try_sizes(x, y, {of_x, k, {}}, {of_y, total - k, {}}, tried)) return true;
    }
    return false;
  }

  bool try_sizes(std::size_t x, std::size_t y, const SubsetSearch& from_x, const SubsetSearch& from_y,
                 std::set<NodeVector>& tried) {
    return any_subset(from_x, [&](Nodes base_x) {
      return any_subset(from_y, [&](Nodes base_y) { return try_base(x, y, base_x, base_y, tried); });
    });
  }

  bool try_base(std::size_t x, std::size_t y, Nodes base_x, Nodes base_y, std::set<NodeVector>& tried) {
    BitSet set(graph_.size());
    set.set(x);
    set.set(y);
    for (const std::size_t node : base_x) set.set(node);
    for (const std::size_t node : base_y) set.set(node);
    close(set);
    set.reset(x);
    set.reset(y);
    // Sets of neighbours of one end were tried by the first pass.
    if (is_subset(set, skeleton_.adjacent[x]) || is_subset(set, skeleton_.adjacent[y])) return false;
    const NodeVector given = members_without(set, x);
    if (given.size() > options_.skeleton.max_order || !test_.worth_trying(given.size())) return false;
    if (!tried.insert(given).second) return false;
    if (!test_.independent(x, y, given, options_.skeleton.alpha)) return false;
    separate(skeleton_, x, y, minimal(x, y, given));
    graph_.remove_edge(x, y);
    add_arrows(x, y);
    return true;
  }

  // Adds the sets that separated two members, until there are no more.
  void close(BitSet& set) const {
    for (bool grown = true; grown;) {
      grown = false;
      for_each(BitSet(set), [&](std::size_t a) {
        for_each(BitSet(set), [&](std::size_t b) {
          if (a >= b) return;
          for (const std::size_t node : skeleton_.separating.get(a, b)) {
            grown = grown || !set.test(node);
            set.set(node);
          }
        });
      });
    }
  }

  NodeVector minimal(std::size_t x, std::size_t y, NodeVector set) {
    for (std::size_t k = 0; k < set.size();) {
      NodeVector smaller = set;
      smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(k));
      if (test_.independent(x, y, smaller, options_.skeleton.alpha)) set = std::move(smaller);
      else ++k;
    }
    return set;
  }

  IndependenceTest& test_;
  Skeleton& skeleton_;
  const PagOptions& options_;
  MarkedGraph graph_;
};

}  // namespace

void separate_by_hierarchy(IndependenceTest& test, Skeleton& skeleton, const PagOptions& options) {
  HierarchyPass(test, skeleton, options).run();
}

}  // namespace dagathlon
