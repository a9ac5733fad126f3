// A graph of any kind as a matrix of endpoint marks, kept as bit rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

// The mark at one end of an edge. The numbers are those of the Python enumeration `Mark`.
enum class Mark : std::uint8_t { none = 0, circle = 1, arrow = 2, tail = 3 };

// Edges are addressed "from row to column": the mark of cell (i, j) stands at j on the edge i–j.
// i → j therefore has an arrow in (i, j) and a tail in (j, i).
class MarkedGraph {
 public:
  explicit MarkedGraph(std::size_t n) : n_(n) {
    for (auto& m : far_) m = BitMatrix(n);
    for (auto& m : near_) m = BitMatrix(n);
  }

  // From a row-major n×n matrix of marks, which must be consistent (see `consistent`).
  static MarkedGraph from_marks(std::span<const std::uint8_t> marks, std::size_t n);
  // From the sets of each node, for graphs with directed and undirected edges only; `parents` and
  // `children` are each other's transpose, `neighbours` is symmetric.
  static MarkedGraph from_rows(const BitMatrix& parents, const BitMatrix& children, const BitMatrix& neighbours);
  // Fills a row-major n×n matrix of marks.
  void to_marks(std::span<std::uint8_t> marks) const;

  std::size_t size() const { return n_; }

  Mark mark(std::size_t i, std::size_t j) const {
    if (far(Mark::arrow).test(i, j)) return Mark::arrow;
    if (far(Mark::tail).test(i, j)) return Mark::tail;
    return far(Mark::circle).test(i, j) ? Mark::circle : Mark::none;
  }

  // Row i: the nodes j at whose end of the edge i–j the mark stands.
  ConstRow at_far_end(Mark m, std::size_t i) const { return far(m)[i]; }
  // Row i: the nodes j such that the mark stands at i's end of the edge i–j.
  ConstRow at_near_end(Mark m, std::size_t i) const { return near(m)[i]; }

  // All rows of `at_far_end` or of `at_near_end` one after the other, padding bits zero.
  ConstRow far_words(Mark m) const { return far(m).words(); }
  ConstRow near_words(Mark m) const { return near(m).words(); }

  // Replaces whatever edge i–j there is; both marks none removes it.
  void set_edge(std::size_t i, Mark at_i, std::size_t j, Mark at_j) {
    put(i, j, at_j);
    put(j, i, at_i);
  }
  void set_directed(std::size_t from, std::size_t to) { set_edge(from, Mark::tail, to, Mark::arrow); }
  void set_undirected(std::size_t i, std::size_t j) { set_edge(i, Mark::tail, j, Mark::tail); }
  void remove_edge(std::size_t i, std::size_t j) { set_edge(i, Mark::none, j, Mark::none); }

  bool adjacent(std::size_t i, std::size_t j) const { return mark(i, j) != Mark::none; }
  bool directed(std::size_t from, std::size_t to) const {
    return mark(from, to) == Mark::arrow && mark(to, from) == Mark::tail;
  }
  bool undirected(std::size_t i, std::size_t j) const { return mark(i, j) == Mark::tail && mark(j, i) == Mark::tail; }

  // Node sets by the kind of edge; each is a fresh set.
  BitSet parents(std::size_t i) const { return both(far(Mark::tail)[i], near(Mark::arrow)[i]); }
  BitSet children(std::size_t i) const { return both(far(Mark::arrow)[i], near(Mark::tail)[i]); }
  BitSet neighbours(std::size_t i) const { return both(far(Mark::tail)[i], near(Mark::tail)[i]); }
  BitSet spouses(std::size_t i) const { return both(far(Mark::arrow)[i], near(Mark::arrow)[i]); }
  BitSet adjacencies(std::size_t i) const {
    BitSet all(n_, far(Mark::arrow)[i]);
    unite(all, far(Mark::tail)[i]);
    unite(all, far(Mark::circle)[i]);
    return all;
  }

  // The same sets for all nodes at once, as rows of a matrix.
  BitMatrix parent_rows() const { return product(far(Mark::tail), near(Mark::arrow)); }
  BitMatrix child_rows() const { return product(far(Mark::arrow), near(Mark::tail)); }
  BitMatrix neighbour_rows() const { return product(far(Mark::tail), near(Mark::tail)); }
  BitMatrix spouse_rows() const { return product(far(Mark::arrow), near(Mark::arrow)); }
  BitMatrix adjacency_rows() const;

  std::size_t edge_count() const;
  bool operator==(const MarkedGraph&) const = default;

 private:
  static constexpr std::size_t slot(Mark m) { return static_cast<std::size_t>(m) - 1; }
  BitMatrix& far(Mark m) { return far_[slot(m)]; }
  const BitMatrix& far(Mark m) const { return far_[slot(m)]; }
  BitMatrix& near(Mark m) { return near_[slot(m)]; }
  const BitMatrix& near(Mark m) const { return near_[slot(m)]; }

  void put(std::size_t i, std::size_t j, Mark at_j) {
    for (auto& m : far_) m.reset(i, j);
    for (auto& m : near_) m.reset(j, i);
    if (at_j == Mark::none) return;
    far(at_j).set(i, j);
    near(at_j).set(j, i);
  }
  BitSet both(ConstRow a, ConstRow b) const {
    BitSet result(n_, a);
    intersect(result, b);
    return result;
  }
  BitMatrix product(const BitMatrix& a, const BitMatrix& b) const;

  std::size_t n_;
  std::array<BitMatrix, 3> far_;
  std::array<BitMatrix, 3> near_;
};

// Whether every mark is known, every edge has a mark at both ends, and no node has a loop.
bool consistent(std::span<const std::uint8_t> marks, std::size_t n);

}  // namespace dagathlon
