// A junction tree that samplers change: the maximal cliques of a decomposable graph, joined to one tree by
// links that hold what their two cliques share. Connected parts of the graph are joined by empty links, so
// that there is always one link less than there are cliques.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/chordal.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

class JunctionTree {
 public:
  // Some junction tree of a chordal graph.
  JunctionTree(const CliqueTree& tree, std::size_t nodes);

  std::size_t nodes() const { return nodes_; }
  std::size_t cliques() const { return incident_.size(); }
  std::size_t links() const { return ends_.size(); }
  ConstRow clique(std::size_t k) const { return {members_.data() + k * stride_, stride_}; }
  ConstRow separator(std::size_t link) const { return {shared_.data() + link * stride_, stride_}; }
  std::array<std::size_t, 2> ends(std::size_t link) const { return ends_[link]; }
  std::size_t other(std::size_t link, std::size_t k) const { return ends_[link][ends_[link][0] == k]; }
  std::span<const std::size_t> links_of(std::size_t k) const { return incident_[k]; }
  // Some clique that holds a node.
  std::size_t clique_with(std::size_t node) const { return home_[node]; }

  // Joins every node of one set with every node of another across a link: `x` is a part of what its first
  // end has and the second has not, and `y` the other way round.
  void connect(std::size_t link, ConstRow x, ConstRow y);

  // One side of a clique that is cut in two.
  struct Side {
    // The link to a neighbour that holds all of this side, or none where this side becomes a clique.
    std::size_t kept = no_node;
    // Neighbours that must go to this side.
    std::size_t neighbours = 0;
  };
  struct Cut {
    bool legal = false;
    Side x, y;
    // Neighbours that may go to either side, where both become cliques.
    std::size_t free = 0;
  };
  // What it would mean to remove all edges between two parts of a clique. It is legal where `connect` on some
  // link of the tree that comes out would undo it.
  Cut cut(std::size_t clique, ConstRow x, ConstRow y) const;
  // Removes them; neighbours that may go to either side go where a random bit says.
  void disconnect(std::size_t clique, ConstRow x, ConstRow y, const Cut& cut, Stream& random);

  // Lets a link join two other cliques; both hold its separator, and the whole stays a tree.
  void rehang(std::size_t link, std::size_t a, std::size_t b);
  // Neighbours of a clique, beyond one of them, whose links lie in another clique's separator from it are
  // hung on that one instead.
  void gather(std::size_t clique, std::size_t onto);

  // How the cliques that hold a set hang together: how many there are; how many of them can be reached from
  // one of them without a link that equals the set.
  struct Reach {
    std::size_t all = 0;
    std::size_t part = 0;
  };
  Reach reach(std::size_t clique, ConstRow set) const;
  // How many of them lie behind a link, seen from one of its ends, without a link that equals the set.
  std::size_t branch(std::size_t link, std::size_t from, ConstRow set) const;

  // The logarithm of the number of junction trees of the graph (Thomas and Green 2009).
  double log_count() const;
  // One of all junction trees of the graph, each as probable.
  void randomise(Stream& random);

 private:
  Row members(std::size_t k) { return {members_.data() + k * stride_, stride_}; }
  Row shared(std::size_t link) { return {shared_.data() + link * stride_, stride_}; }
  std::size_t add_clique(ConstRow nodes);
  std::size_t add_link(std::size_t a, std::size_t b, ConstRow nodes);
  void remove_clique(std::size_t k);
  void remove_link(std::size_t link);
  // All links of a clique become those of another.
  void hand_over(std::size_t from, std::size_t to);
  void drop(std::size_t k, std::size_t link);
  void settle(std::size_t k);
  // The parts into which the cliques that hold a set fall without the links that equal it.
  std::vector<std::vector<std::size_t>> parts(std::size_t clique, ConstRow set, std::vector<std::size_t>& equal) const;
  void reconnect(const std::vector<std::vector<std::size_t>>& parts, const std::vector<std::size_t>& equal,
                 Stream& random);

  std::size_t nodes_;
  std::size_t stride_;
  std::vector<Word> members_;
  std::vector<Word> shared_;
  std::vector<std::array<std::size_t, 2>> ends_;
  std::vector<std::vector<std::size_t>> incident_;
  std::vector<std::size_t> home_;
  mutable std::vector<std::array<std::size_t, 3>> stack_;
};

}  // namespace dagathlon
