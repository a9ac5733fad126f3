// Parents of a node among those that stand before it in an order, remembered in a tree.
//
// Grow: add the best candidate while the score rises; shrink: take out the worst while it rises. What
// is best does not depend on the order, only which candidates are at hand, so the answers for all
// orders share their first steps (Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld 2023).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

class GrowShrinkTree {
 public:
  // What shrinking leaves where growing ended; it stays where it is as long as the tree lives.
  struct Shrunk {
    double score;
    std::vector<std::size_t> parents;
    // Growing ended here because all of the first were at hand, and none of the second.
    BitSet chosen;
    BitSet missed;
  };

  // `required` are parents in any case; only `allowed` nodes may be others, up to `max_parents` in all.
  GrowShrinkTree(Score& score, std::size_t child, ConstRow required, ConstRow allowed, std::size_t max_parents);

  // The place in the tree where growing among `before` ends. It is cheap to find where it is `guess`,
  // the answer to an earlier question, if there was one (`no_node` if not).
  std::size_t find(ConstRow before, std::size_t guess);
  // By whom families are scored from now on: another thread has a twin of the score.
  void ask(Score& score) { score_ = &score; }
  // Gives its memory back; nothing may be asked of it any more.
  void forget() {
    places_ = std::vector<Place>();
    shrunk_.clear();
  }
  // Whether growing would end elsewhere without a node that was at hand, or with one that was not.
  bool needs(std::size_t place, std::size_t node) const { return shrunk_[places_[place].shrunk].chosen.test(node); }
  bool wants(std::size_t place, std::size_t node) const { return shrunk_[places_[place].shrunk].missed.test(node); }
  // All nodes of which that is true.
  ConstRow needed(std::size_t place) const { return shrunk_[places_[place].shrunk].chosen; }
  ConstRow wanted(std::size_t place) const { return shrunk_[places_[place].shrunk].missed; }
  // The term of the child with the parents that shrinking leaves at a place that was found.
  const Shrunk& end(std::size_t place) const { return shrunk_[places_[place].shrunk]; }
  double score(std::size_t place) const { return shrunk_[places_[place].shrunk].score; }
  const std::vector<std::size_t>& parents(std::size_t place) const { return shrunk_[places_[place].shrunk].parents; }

 private:
  // There are many: the numbers of nodes and places are kept short.
  struct Branch {
    std::uint32_t candidate;
    std::uint32_t leads_to;
    double score;
  };
  // Candidates that raise the score, the best first; what shrinking leaves, once it was asked for.
  struct Place {
    double score;
    std::vector<std::size_t> parents;
    // The way to here: the branch of another place, which was the first whose candidate was at hand.
    std::size_t from = no_node;
    std::size_t branch = 0;
    std::vector<Branch> branches{};
    bool grown = false;
    std::size_t shrunk = no_node;
  };

  static constexpr std::uint32_t nowhere = static_cast<std::uint32_t>(-1);

  bool ends_at(std::size_t place, ConstRow before) const;
  std::size_t next(std::size_t place, ConstRow before);
  std::size_t follow(std::size_t place, std::size_t branch);
  void grow(std::size_t place);
  BitSet chosen(std::size_t place) const;
  BitSet missed(std::size_t place) const;
  void shrink(std::size_t place);

  Score* score_;
  std::size_t child_;
  BitSet required_;
  BitSet allowed_;
  std::size_t max_parents_;
  std::vector<Place> places_;
  std::deque<Shrunk> shrunk_;
  std::vector<double> scores_;
};

}  // namespace dagathlon
