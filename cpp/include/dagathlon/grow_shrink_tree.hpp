// Parents of a node among those that stand before it in an order, remembered in a tree.
//
// Grow: add the best candidate while the score rises; shrink: take out the worst while it rises. What
// is best does not depend on the order, only which candidates are at hand, so the answers for all
// orders share their first steps (Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld 2023).
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/bits.hpp"
#include "dagathlon/score.hpp"

namespace dagathlon {

class GrowShrinkTree {
 public:
  // `required` are parents in any case; only `allowed` nodes may be others, up to `max_parents` in all.
  GrowShrinkTree(Score& score, std::size_t child, ConstRow required, ConstRow allowed, std::size_t max_parents);

  // The term of the child with the parents that growing and shrinking find among `before`.
  double score(ConstRow before) { return shrunk(before).score; }
  const std::vector<std::size_t>& parents(ConstRow before) { return shrunk(before).parents; }

 private:
  struct Shrunk {
    double score;
    std::vector<std::size_t> parents;
  };
  struct Branch {
    std::size_t candidate;
    double score;
    std::size_t leads_to;
  };
  // Candidates that raise the score, the best first; what shrinking leaves, once it was asked for.
  struct Place {
    double score;
    std::vector<std::size_t> parents;
    std::vector<Branch> branches;
    bool grown = false;
    std::size_t shrunk = no_node;
  };

  const Shrunk& shrunk(ConstRow before);
  void grow(std::size_t place);
  void shrink(std::size_t place);

  Score& score_;
  std::size_t child_;
  BitSet required_;
  BitSet allowed_;
  std::size_t max_parents_;
  std::vector<Place> places_;
  std::vector<Shrunk> shrunk_;
  std::vector<double> scores_;
};

}  // namespace dagathlon
