// Junction trees that grow and shrink by one node at a time: the Christmas tree algorithm (Olsson,
// Pavlenko and Rios 2022), its way back, and what is counted of a tree.
//
// A tree joins all maximal cliques of a decomposable graph, also across empty separators, such that the
// cliques that hold a node form a subtree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

class GrowingTree {
 public:
  // Over nodes below n, without any clique.
  explicit GrowingTree(std::size_t n) : n_(n), stride_(words_for(n)) {}

  std::size_t nodes() const { return n_; }
  std::size_t stride() const { return stride_; }
  // The number of cliques.
  std::size_t size() const { return size_; }
  Row clique(std::size_t k) { return {members_.data() + k * stride_, stride_}; }
  ConstRow clique(std::size_t k) const { return {members_.data() + k * stride_, stride_}; }
  // The cliques that are joined to one.
  ConstRow near(std::size_t k) const { return {near_.data() + k * stride_, stride_}; }

  // A new clique without neighbours: its number.
  std::size_t add(ConstRow members);
  // Removes a clique without neighbours; the last one takes its number.
  void remove(std::size_t k);
  void link(std::size_t a, std::size_t b);
  void unlink(std::size_t a, std::size_t b);

  // Whether two cliques share exactly these nodes.
  bool meets_in(std::size_t a, std::size_t b, ConstRow shared) const;
  bool separated_within(std::size_t a, std::size_t b, ConstRow set) const;

  // Calls visit(a, b), a < b, for each edge.
  template <class Visit>
  void for_each_edge(Visit&& visit) const {
    for (std::size_t a = 0; a < size_; ++a)
      for_each(near(a), [&](std::size_t b) {
        if (a < b) visit(a, b);
      });
  }

 private:
  Row near_row(std::size_t k) { return {near_.data() + k * stride_, stride_}; }

  std::size_t n_;
  std::size_t stride_;
  std::size_t size_ = 0;
  std::vector<Word> members_;
  std::vector<Word> near_;
};

// How a node comes into a tree: the subtree it is joined to; of each of its cliques the part; and the
// neighbours of these that go over to the new clique which holds the part and the node. Where a part is
// the whole clique, the node joins the clique itself and nothing goes over.
struct Extension {
  struct Moved {
    std::size_t place;  // in `cliques`
    std::size_t neighbour;
  };
  // Nothing for a node without any neighbour.
  std::vector<std::size_t> cliques;
  // One row of words after the other.
  std::vector<Word> parts;
  std::vector<Moved> moved;

  bool isolated() const { return cliques.empty(); }
  void clear();
  ConstRow part(std::size_t place, std::size_t stride) const { return {parts.data() + place * stride, stride}; }
  Row part(std::size_t place, std::size_t stride) { return {parts.data() + place * stride, stride}; }
};

// The pairs of places in `cliques` that are joined in the tree.
template <class Visit>
void for_each_inner_edge(const GrowingTree& tree, const Extension& extension, Visit&& visit) {
  for (std::size_t i = 0; i < extension.cliques.size(); ++i)
    for (std::size_t j = i + 1; j < extension.cliques.size(); ++j)
      if (test(tree.near(extension.cliques[i]), extension.cliques[j])) visit(i, j);
}

// Whether a neighbour of a clique in the subtree may go over to its part: it is not in the subtree, and
// shares nothing else with the clique.
bool may_move(const GrowingTree& tree, const Extension& extension, std::size_t place, std::size_t neighbour);

// Each neighbour that may go over does with probability one half.
void draw_moves(const GrowingTree& tree, Extension& extension, Stream& random);

// Puts a node into the tree. A node without neighbours is joined to it by all ways equally likely, and
// so are the parts that empty separators join.
void extend(GrowingTree& tree, std::size_t node, const Extension& extension, Stream& random);

// Takes a node out of the tree: the backward kernel. A clique that is maximal no longer falls together
// with one of the neighbours that hold it, all equally likely. The extension undoes it.
Extension collapse(GrowingTree& tree, std::size_t node, Stream& random);

// The logarithm of the backward kernel's probability of `tree` from what the extension makes of it; not
// for nodes without neighbours.
double log_backward(const GrowingTree& tree, const Extension& extension);

// Whether the subtree of one clique and the part could as well be of its neighbour, with the same
// result; then the neighbour, else no_node.
std::size_t twin(const GrowingTree& tree, const Extension& extension);

// The logarithm of the number of junction trees of the tree's graph (Thomas and Green 2009).
double log_tree_count(const GrowingTree& tree);

// Draws anew how empty separators join the parts of a tree, or of a forest: all ways equally likely.
void reconnect(GrowingTree& tree, Stream& random);

// Draws one of the junction trees of the tree's graph, all equally likely.
void randomise(GrowingTree& tree, Stream& random);

// The graph: row i holds the nodes adjacent to i.
BitMatrix graph_of(const GrowingTree& tree);

}  // namespace dagathlon
