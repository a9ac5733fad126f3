#include "dagathlon/graph/separation.hpp"

#include <array>

#include "dagathlon/graph/ancestors.hpp"

namespace dagathlon {

namespace {

// Rows of words that a thread keeps between queries, so that no query allocates.
class Scratch {
 public:
  // `count` empty rows of `stride` words.
  void prepare(std::size_t count, std::size_t stride) {
    stride_ = stride;
    words_.assign(count * stride, Word{0});
  }
  Row operator[](std::size_t k) { return {words_.data() + k * stride_, stride_}; }

 private:
  std::size_t stride_ = 0;
  std::vector<Word> words_;
};

// The search and the query that calls it hold rows at the same time.
Scratch& search_rows() {
  static thread_local Scratch rows;
  return rows;
}
Scratch& query_rows() {
  static thread_local Scratch rows;
  return rows;
}

bool has_directed_cycle(const MarkedGraph& graph) {
  const BitMatrix ancestors = ancestor_rows(graph);
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (intersects(graph.children(i), ancestors[i])) return true;
  return false;
}

// pending gains what `edges` newly reaches.
void step(ConstRow edges, ConstRow within, Row seen, Row pending) {
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Word fresh = edges[k] & within[k] & ~seen[k];
    seen[k] |= fresh;
    pending[k] |= fresh;
  }
}

}  // namespace

bool admits_separation(const MarkedGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (any(graph.at_far_end(Mark::circle, i))) return false;
    if (any(graph.at_near_end(Mark::arrow, i)) && any(graph.neighbours(i).row())) return false;
  }
  return !has_directed_cycle(graph);
}

Walks::Walks(const MarkedGraph& graph) : n_(graph.size()), stride_(words_for(n_)), words_(n_ * kinds * stride_) {
  const std::array<BitMatrix, kinds> rows{graph.child_rows(), graph.neighbour_rows(), graph.spouse_rows(),
                                          graph.parent_rows()};
  for (std::size_t v = 0; v < n_; ++v)
    for (std::size_t kind = 0; kind < kinds; ++kind)
      std::copy(rows[kind][v].begin(), rows[kind][v].end(),
                words_.begin() + static_cast<std::ptrdiff_t>((v * kinds + kind) * stride_));
}

bool Walks::adjacent(std::size_t i, std::size_t j) const {
  return test(row(children, i), j) || test(row(parents, i), j) || test(row(spouses, i), j) ||
         test(row(neighbours, i), j);
}

Reached Walks::reach(ConstRow starts, ConstRow targets, ConstRow within, ConstRow colliders,
                     ConstRow noncolliders) const {
  Scratch& rows = search_rows();
  rows.prepare(4, stride_);
  const Row by_arrow = rows[0], by_tail = rows[1], arrow_pending = rows[2], tail_pending = rows[3];
  const auto leave_by_tail = [&](std::size_t v) {
    step(row(children, v), within, by_arrow, arrow_pending);
    step(row(neighbours, v), within, by_tail, tail_pending);
  };
  const auto leave_by_arrow = [&](std::size_t v) {
    step(row(spouses, v), within, by_arrow, arrow_pending);
    step(row(parents, v), within, by_tail, tail_pending);
  };
  const auto leave = [&](std::size_t v) {
    leave_by_tail(v);
    leave_by_arrow(v);
  };
  for_each(starts, leave);
  while (!intersects(by_arrow, targets) && !intersects(by_tail, targets)) {
    if (const std::size_t v = first(tail_pending); v != no_node) {
      reset(tail_pending, v);
      if (test(noncolliders, v)) leave(v);
    } else if (const std::size_t w = first(arrow_pending); w != no_node) {
      reset(arrow_pending, w);
      if (test(colliders, w)) leave_by_arrow(w);
      if (test(noncolliders, w)) leave_by_tail(w);
    } else {
      break;
    }
  }
  return {by_arrow, by_tail};
}

SeparationOracle::SeparationOracle(const MarkedGraph& graph) : walks_(graph), anterior_(anterior_rows(graph)) {}

bool SeparationOracle::separated(Nodes x, Nodes y, Nodes given) const {
  Scratch& rows = query_rows();
  rows.prepare(5, words_for(size()));
  const Row starts = rows[0], targets = rows[1], within = rows[2], colliders = rows[3], noncolliders = rows[4];
  for (const std::size_t v : given) unite(colliders, anterior_[v]);
  unite(within, colliders);
  for (const std::size_t v : x) {
    set(starts, v);
    unite(within, anterior_[v]);
  }
  for (const std::size_t v : y) {
    set(targets, v);
    unite(within, anterior_[v]);
  }
  // Connecting walks stay among the nodes anterior to the query.
  unite(noncolliders, within);
  for (const std::size_t v : given) reset(noncolliders, v);
  const Reached reached = walks_.reach(starts, targets, within, colliders, noncolliders);
  return !intersects(reached.by_arrow, targets) && !intersects(reached.by_tail, targets);
}

std::optional<BitSet> SeparationOracle::separating_set(std::size_t x, std::size_t y) const {
  const std::size_t n = size();
  BitSet within(n, anterior_[x]);
  unite(within, anterior_[y]);
  BitSet candidates = within;
  candidates.reset(x);
  candidates.reset(y);
  const BitSet none(n);
  // Inside the nodes anterior to x and y, every collider is open and a set separates by blocking
  // alone, as in an undirected graph: of the candidates, those that walks meet first from x suffice,
  // and of these, those that walks meet first from y.
  for (const std::size_t end : {x, y}) {
    BitSet start(n), noncolliders = within;
    start.set(end);
    subtract(noncolliders, candidates);
    const Reached reached = walks_.reach(start, none, within, within, noncolliders);
    if (reached.contains(end == x ? y : x)) return std::nullopt;
    BitSet met(n, reached.by_arrow);
    unite(met, reached.by_tail);
    intersect(candidates, met);
  }
  return candidates;
}

}  // namespace dagathlon
