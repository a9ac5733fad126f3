// Proposals of moves between junction trees: which sets are joined or parted, how probable that was, and what
// it does to the number of junction trees of the graph.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/undirected/junction_tree.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// Random parts of sets, and the logarithms of their probabilities.
class RandomParts {
 public:
  explicit RandomParts(std::size_t nodes);

  // Some nodes of a set, or a single one.
  void draw_part(ConstRow set, bool several, BitSet& part, Stream& random);
  double log_part(std::size_t of, std::size_t part, bool several) const;
  // Two disjoint parts of a set of two nodes or more, in no order.
  void draw_pair(ConstRow set, bool several, BitSet& x, BitSet& y, Stream& random);
  double log_pair(std::size_t of, std::size_t x, std::size_t y, bool several) const;

 private:
  double log_choices(std::size_t of, std::size_t part) const {
    return log_factorial_[of] - log_factorial_[part] - log_factorial_[of - part];
  }
  // Moves so many random nodes to the front of those from `first` on, and sets them in a part.
  void pick(std::size_t first, std::size_t many, BitSet& part, Stream& random);

  std::vector<double> log_factorial_;
  std::vector<std::size_t> nodes_;
};

// A connection of two sets, or the same seen from the tree in which they are connected.
struct Connection {
  ConstRow separator;
  ConstRow x;
  ConstRow y;
  // Whether each side is a whole clique of the tree in which they are not connected.
  bool whole_x;
  bool whole_y;

  // By how many the connection changes the number of cliques.
  int cliques() const { return !whole_x + !whole_y - 1; }
};

// How the logarithm of the number of junction trees changes when two sets are connected.
class CountChange {
 public:
  explicit CountChange(std::size_t nodes) : all_(nodes), with_x_(nodes), with_y_(nodes) {}

  // In the tree in which they are not connected yet: the separator is that of a link.
  double before(const JunctionTree& tree, std::size_t link, const Connection& move);
  // In the tree in which a clique holds them all.
  double after(const JunctionTree& tree, std::size_t clique, const Connection& move);

 private:
  struct Separator {
    ConstRow nodes;
    std::size_t links;
  };
  void gather(const JunctionTree& tree, const Connection& move);
  std::size_t links_of(ConstRow set) const;
  // Of one separator whose cliques become `more` more, all in the part that is seen from a clique.
  static double grown(std::size_t links, JunctionTree::Reach before, int more);

  BitSet all_, with_x_, with_y_;
  std::vector<Separator> separators_;
};

}  // namespace dagathlon
