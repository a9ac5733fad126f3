// The junction trees of one graph: their number, and a random one (Thomas and Green 2009).
#include <cmath>
#include <utility>

#include "dagathlon/undirected/christmas_tree.hpp"
#include "dagathlon/graph/random_joins.hpp"

namespace dagathlon {

namespace {

using Parts = std::vector<std::vector<std::size_t>>;

// What the cliques that hold a separator fall into when the edges that it labels are cut.
class SeparatorCut {
 public:
  SeparatorCut(const GrowingTree& tree, ConstRow separator) : tree_(&tree), separator_(separator) {}

  // From one clique on; calls crossed(a, b) for each edge that is cut.
  template <class Crossed>
  void sizes(std::size_t start, std::vector<std::size_t>& parts, Crossed&& crossed) {
    parts.assign(1, 1);
    stack_.assign(1, {start, no_node, 0});
    while (!stack_.empty()) {
      const Visit at = stack_.back();
      stack_.pop_back();
      for_each(tree_->near(at.clique), [&](std::size_t other) {
        if (other == at.from || !is_subset(separator_, tree_->clique(other))) return;
        const bool cut = tree_->meets_in(at.clique, other, separator_);
        if (cut) {
          crossed(at.clique, other);
          parts.push_back(0);
        }
        const std::size_t part = cut ? parts.size() - 1 : at.part;
        ++parts[part];
        stack_.push_back({other, at.clique, part});
      });
    }
  }

 private:
  struct Visit {
    std::size_t clique, from, part;
  };
  const GrowingTree* tree_;
  ConstRow separator_;
  std::vector<Visit> stack_;
};

double log_of(std::size_t number) { return std::log(static_cast<double>(number)); }

// The number of ways to join parts to a tree, where an edge goes from any clique of one to any of another.
double log_ways(const std::vector<std::size_t>& parts) {
  double result = 0;
  std::size_t all = 0;
  for (const std::size_t size : parts) {
    if (size > 1) result += log_of(size);
    all += size;
  }
  if (parts.size() > 2) result += static_cast<double>(parts.size() - 2) * log_of(all);
  return result;
}

// Cuts the edges that a separator labels and gives the parts of what held them.
Parts cut_apart(GrowingTree& tree, ConstRow separator) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  tree.for_each_edge([&](std::size_t a, std::size_t b) {
    if (tree.meets_in(a, b, separator)) edges.emplace_back(a, b);
  });
  for (const auto& [a, b] : edges) tree.unlink(a, b);
  Parts parts;
  BitSet seen(tree.nodes());
  for (std::size_t start = 0; start < tree.size(); ++start) {
    if (seen.test(start) || !is_subset(separator, tree.clique(start))) continue;
    std::vector<std::size_t> part{start};
    seen.set(start);
    for (std::size_t i = 0; i < part.size(); ++i)
      for_each(tree.near(part[i]), [&](std::size_t other) {
        if (seen.test(other) || !is_subset(separator, tree.clique(other))) return;
        seen.set(other);
        part.push_back(other);
      });
    parts.push_back(std::move(part));
  }
  return parts;
}

void join(GrowingTree& tree, const Parts& parts, Stream& random) {
  join_at_random(parts, random, [&](std::size_t a, std::size_t b) { tree.link(a, b); });
}

}  // namespace

double log_tree_count(const GrowingTree& tree) {
  std::vector<std::size_t> parts;
  std::vector<Word> done(tree.size() * tree.stride());
  const auto row = [&](std::size_t k) { return Row(done.data() + k * tree.stride(), tree.stride()); };
  BitSet separator(tree.nodes());
  double result = 0;
  tree.for_each_edge([&](std::size_t a, std::size_t b) {
    if (test(row(a), b)) return;
    std::ranges::copy(tree.clique(a), separator.row().begin());
    intersect(separator, tree.clique(b));
    SeparatorCut(tree, separator).sizes(a, parts, [&](std::size_t one, std::size_t other) {
      set(row(one), other);
      set(row(other), one);
    });
    result += log_ways(parts);
  });
  return result;
}

void reconnect(GrowingTree& tree, Stream& random) {
  const BitSet nothing(tree.nodes());
  join(tree, cut_apart(tree, nothing), random);
}

void randomise(GrowingTree& tree, Stream& random) {
  std::vector<BitSet> separators;
  tree.for_each_edge([&](std::size_t a, std::size_t b) {
    BitSet shared(tree.nodes(), tree.clique(a));
    intersect(shared, tree.clique(b));
    if (std::ranges::find(separators, shared) == separators.end()) separators.push_back(std::move(shared));
  });
  for (const BitSet& separator : separators) join(tree, cut_apart(tree, separator), random);
}

}  // namespace dagathlon
