#include "dagathlon/undirected/peeling.hpp"

namespace dagathlon {

namespace {

class Peeler {
 public:
  Peeler(const BitMatrix& adjacent, ConstRow kept)
      : adjacent_(&adjacent), kept_(kept), left_(adjacent.size()), near_(adjacent.size()), doubtful_(adjacent.size()) {
    for (std::size_t node = 0; node < adjacent.size(); ++node) {
      left_.set(node);
      if (!test(kept_, node)) doubtful_.set(node);
    }
  }

  Peeling run() {
    Peeling result;
    for (std::size_t node = first(doubtful_); node != no_node; node = first(doubtful_)) {
      doubtful_.reset(node);
      near_ = BitSet(adjacent_->size(), (*adjacent_)[node]);
      intersect(near_, left_);
      if (is_complete(*adjacent_, near_)) take(node, result);
    }
    for_each(left_, [&](std::size_t node) { result.core.push_back(node); });
    return result;
  }

 private:
  // Only neighbours of a leaf can have become leaves by its going.
  void take(std::size_t node, Peeling& result) {
    left_.reset(node);
    result.leaves.push_back({node, {}});
    for_each(near_, [&](std::size_t other) {
      result.leaves.back().neighbours.push_back(other);
      if (!test(kept_, other)) doubtful_.set(other);
    });
  }

  const BitMatrix* adjacent_;
  ConstRow kept_;
  BitSet left_, near_, doubtful_;
};

}  // namespace

Peeling peel(const BitMatrix& adjacent, ConstRow kept) { return Peeler(adjacent, kept).run(); }

Peeling peel(const BitMatrix& adjacent) {
  const BitSet none(adjacent.size());
  return peel(adjacent, none);
}

bool is_complete(const BitMatrix& adjacent, ConstRow nodes) {
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (Word w = nodes[k]; w != 0; w &= w - 1) {
      const std::size_t node = k * word_bits + static_cast<std::size_t>(std::countr_zero(w));
      const ConstRow row = adjacent[node];
      for (std::size_t m = 0; m < nodes.size(); ++m) {
        const Word self = m == node / word_bits ? Word{1} << (node % word_bits) : 0;
        if (nodes[m] & ~row[m] & ~self) return false;
      }
    }
  return true;
}

BitSet reached(const BitMatrix& adjacent, std::size_t from, ConstRow closed) {
  const std::size_t n = adjacent.size();
  BitSet found(n), waiting(n);
  waiting.set(from);
  for (std::size_t node = from; node != no_node; node = first(waiting)) {
    waiting.reset(node);
    found.set(node);
    BitSet fresh(n, adjacent[node]);
    subtract(fresh, found);
    subtract(fresh, closed);
    unite(waiting, fresh);
  }
  return found;
}

}  // namespace dagathlon
