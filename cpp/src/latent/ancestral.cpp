#include "dagathlon/latent/ancestral.hpp"

#include "dagathlon/graph/ancestors.hpp"

namespace dagathlon {

namespace {

// Finds inducing paths: paths between observed nodes that no set of observed nodes blocks.
class InducingPaths {
 public:
  InducingPaths(const SeparationOracle& oracle, ConstRow latent, ConstRow selection)
      : oracle_(oracle), latent_(latent), selected_(oracle.size()), everything_(oracle.size()) {
    for_each(selection, [&](std::size_t s) { unite(selected_, oracle_.anterior()[s]); });
    for (std::size_t i = 0; i < oracle.size(); ++i) everything_.set(i);
  }

  // The nodes to which a has a walk that is inducing but for colliders that may be anterior to
  // neither end; few nodes pass, so that the exact search is seldom needed.
  BitSet candidates(std::size_t a) const {
    const std::size_t n = oracle_.size();
    BitSet start(n);
    start.set(a);
    const BitSet none(n);
    const Reached reached = oracle_.walks().reach(start, none, everything_, everything_, latent_);
    BitSet met(n, reached.by_arrow);
    unite(met, reached.by_tail);
    return met;
  }

  bool connected(std::size_t a, std::size_t b) const {
    if (oracle_.walks().adjacent(a, b)) return true;
    const std::size_t n = oracle_.size();
    BitSet start(n), target(n), anterior = selected_;
    start.set(a);
    target.set(b);
    unite(anterior, oracle_.anterior()[a]);
    unite(anterior, oracle_.anterior()[b]);
    return oracle_.walks().reach(start, target, anterior, anterior, latent_).contains(b);
  }

  Mark mark_at(std::size_t a, std::size_t b) const {
    return selected_.test(a) || oracle_.anterior().test(b, a) ? Mark::tail : Mark::arrow;
  }

 private:
  const SeparationOracle& oracle_;
  ConstRow latent_;
  BitSet selected_;  // anterior to a selection node
  BitSet everything_;
};

std::vector<std::size_t> outside(ConstRow latent, ConstRow selection, std::size_t n) {
  std::vector<std::size_t> observed;
  for (std::size_t i = 0; i < n; ++i)
    if (!test(latent, i) && !test(selection, i)) observed.push_back(i);
  return observed;
}

}  // namespace

MarkedGraph latent_projection(const MarkedGraph& graph, ConstRow latent, ConstRow selection) {
  const SeparationOracle oracle(graph);
  const InducingPaths paths(oracle, latent, selection);
  const std::vector<std::size_t> observed = outside(latent, selection, graph.size());
  MarkedGraph projection(observed.size());
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const BitSet candidates = paths.candidates(observed[i]);
    for (std::size_t j = i + 1; j < observed.size(); ++j) {
      const std::size_t a = observed[i], b = observed[j];
      if (candidates.test(b) && paths.connected(a, b))
        projection.set_edge(i, paths.mark_at(a, b), j, paths.mark_at(b, a));
    }
  }
  return projection;
}

bool is_ancestral(const MarkedGraph& graph) {
  if (!admits_separation(graph)) return false;
  const BitMatrix ancestors = ancestor_rows(graph);
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (intersects(graph.spouses(i), ancestors[i])) return false;
  return true;
}

bool is_mag(const MarkedGraph& graph) {
  if (!is_ancestral(graph)) return false;
  const BitSet none(graph.size());
  return latent_projection(graph, none, none) == graph;
}

}  // namespace dagathlon
