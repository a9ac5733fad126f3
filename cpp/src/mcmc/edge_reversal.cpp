#include "dagathlon/mcmc/edge_reversal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dagathlon/stats/log_weights.hpp"

namespace dagathlon {

namespace {

std::size_t count_arcs(const BitMatrix& parents) {
  std::size_t total = 0;
  for (std::size_t child = 0; child < parents.size(); ++child) total += count(parents[child]);
  return total;
}

// The k-th arc, by its end and then by its start.
std::pair<std::size_t, std::size_t> arc_at(const BitMatrix& parents, std::size_t k) {
  std::size_t child = 0;
  for (std::size_t here = 0; (here = count(parents[child])) <= k; ++child) k -= here;
  std::size_t found = no_node;
  for_each(parents[child], [&](std::size_t parent) {
    if (k-- == 0) found = parent;
  });
  return {found, child};
}

// Parents that a table allows to a node whose descendants they must not be. Nodes pass on to their
// children that they descend from it until nothing is new.
AllowedParents acyclic_parents(const ParentTable& table, const BitMatrix& parents, std::size_t node, BitSet& below) {
  below.clear();
  below.set(node);
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t x = 0; x < parents.size(); ++x)
      if (!below.test(x) && intersects(parents[x], below)) {
        below.set(x);
        grows = true;
      }
  }
  AllowedParents allowed = table.none();
  for (std::size_t x = 0; x < parents.size(); ++x)
    if (!below.test(x)) table.admit(allowed, x);
  return allowed;
}

bool holds(const ParentTable& table, ConstRow parents) {
  std::vector<std::size_t> members;
  for_each(parents, [&](std::size_t parent) { members.push_back(parent); });
  return table.find(members).column != ParentTable::no_slot;
}

void set_parents(BitMatrix& parents, std::size_t node, const std::vector<std::size_t>& chosen) {
  for (Word& word : parents[node]) word = 0;
  for (const std::size_t parent : chosen) parents.set(node, parent);
}

// The move, on the DAG itself; a proposal that is not accepted is undone.
class Reversal {
 public:
  Reversal(const ParentTables& tables, BitMatrix& dag, std::size_t from, std::size_t to)
      : dag_(dag),
        head_(tables[from]),
        tail_(tables[to]),
        from_(from),
        to_(to),
        below_(dag.size()),
        old_head_(dag.size(), dag[from]),
        old_tail_(dag.size(), dag[to]) {}

  bool decide(std::size_t arcs, Stream& random) {
    others_ = arcs - count(old_head_) - count(old_tail_);
    arcs_ = arcs;
    if (propose(random)) return true;
    std::ranges::copy(old_head_.row(), dag_[from_].begin());
    std::ranges::copy(old_tail_.row(), dag_[to_].begin());
    return false;
  }

 private:
  // Draws cost most of the move, and most moves are refused. Where it is known how many random numbers
  // they take, the one that decides is looked at beforehand: a move is refused as soon as no outcome
  // of the draws could save it, and the chain is the same as without this.
  bool propose(Stream& random) {
    set_parents(dag_, from_, {});
    set_parents(dag_, to_, {});
    const AllowedParents all = acyclic_parents(head_, dag_, from_, below_);
    AllowedParents without = all;
    head_.bar(without, to_);
    const double forward = head_.knows(to_) ? head_.log_difference(all, without) : minus_infinity;
    if (forward == minus_infinity) return false;
    const bool foreseen = head_.one_number_each() && tail_.one_number_each();
    const double limit = foreseen ? std::log(random.ahead(numbers_of_draws)) : minus_infinity;
    const double most = tail_.value(acyclic_parents(tail_, dag_, to_, below_));
    const double known = forward - backward();
    if (!(limit < known + most + fewer(1))) return refuse(numbers_of_draws + 1, random);
    set_parents(dag_, from_, head_.parents(head_.draw_outside(all, without, random)));
    const AllowedParents left = acyclic_parents(tail_, dag_, to_, below_);
    const double there = tail_.value(left);
    if (there == minus_infinity) return false;
    const double gain = known + there;
    if (!(limit < gain + fewer(count(dag_[from_])))) return refuse(numbers_of_draws, random);
    set_parents(dag_, to_, tail_.parents(tail_.choose(left, random)));
    return std::log(random.uniform()) < gain + fewer(count(dag_[from_]) + count(dag_[to_]));
  }

  // The head's draw takes one, the tail's two.
  static constexpr std::size_t numbers_of_draws = 3;

  // The logarithm of the ratio of the numbers of arcs now and with so many at both ends.
  double fewer(std::size_t ends) const {
    return std::log(static_cast<double>(arcs_) / static_cast<double>(others_ + ends));
  }

  static bool refuse(std::size_t numbers, Stream& random) {
    for (std::size_t k = 0; k < numbers; ++k) random.bits();
    return false;
  }

  // The logarithm of the sums that the move back divides by; leaves both ends without parents.
  double backward() {
    const AllowedParents all = acyclic_parents(tail_, dag_, to_, below_);
    AllowedParents without = all;
    tail_.bar(without, from_);
    const double sum = tail_.log_difference(all, without);
    std::ranges::copy(old_tail_.row(), dag_[to_].begin());
    const double rest = head_.value(acyclic_parents(head_, dag_, from_, below_));
    set_parents(dag_, to_, {});
    return sum + rest;
  }

  BitMatrix& dag_;
  const ParentTable& head_;
  const ParentTable& tail_;
  std::size_t from_;
  std::size_t to_;
  BitSet below_;
  BitSet old_head_;
  BitSet old_tail_;
  std::size_t arcs_ = 0;
  std::size_t others_ = 0;
};

}  // namespace

bool reverse_edge(const ParentTables& tables, BitMatrix& parents, Stream& random, Inside inside) {
  const std::size_t arcs = count_arcs(parents);
  if (arcs == 0) return false;
  const auto [from, to] = arc_at(parents, random.below(arcs));
  const bool known = inside == Inside::surely || (holds(tables[from], parents[from]) && holds(tables[to], parents[to]));
  if (!known) return false;
  return Reversal(tables, parents, from, to).decide(arcs, random);
}

}  // namespace dagathlon
