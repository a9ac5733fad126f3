#include <algorithm>
#include <cmath>
#include <vector>

#include "dagathlon/undirected/decomposable_chain.hpp"

namespace dagathlon {

Nodes CliqueTerms::listed(ConstRow a, ConstRow b, ConstRow c) {
  nodes_.clear();
  words_.assign(a.begin(), a.end());
  unite(words_, b);
  unite(words_, c);
  for_each(words_, [&](std::size_t node) { nodes_.push_back(node); });
  return nodes_;
}

double CliqueTerms::side(ConstRow separator, ConstRow extra, bool whole) {
  const Nodes nodes = listed(separator, extra, extra);
  return whole ? target_->clique(nodes) : target_->separator(nodes);
}

double CliqueTerms::gain(ConstRow separator, ConstRow x, ConstRow y, bool whole_x, bool whole_y) {
  const double all = target_->clique(listed(separator, x, y));
  if (std::isinf(all)) return all;
  const double without = target_->separator(listed(separator, separator, separator));
  return all + without - side(separator, x, whole_x) - side(separator, y, whole_y);
}

namespace {

class GiudiciGreen {
 public:
  GiudiciGreen(const DecomposableTarget& target, const BitMatrix& start)
      : terms_(target),
        adjacent_(start),
        tree_(*clique_tree(adjacent_), target.size()),
        score_(target.of(*clique_tree(adjacent_))),
        separator_(target.size()),
        x_(target.size()),
        y_(target.size()) {}

  double score() const { return settled(score_); }

  void step(UndirectedLog& log, Stream& random) {
    const std::size_t n = adjacent_.size();
    if (n < 2) return;
    const std::size_t i = random.below(n), other = random.below(n - 1), j = other + (other >= i);
    x_.clear();
    y_.clear();
    x_.set(i);
    y_.set(j);
    std::ranges::copy(adjacent_[i], separator_.row().begin());
    intersect(separator_, adjacent_[j]);
    if (adjacent_.test(i, j) ? remove(i, j, random) : add(i, j, random)) log.toggle(i, j);
  }

 private:
  // An edge may go when it is in one maximal clique only: when what its ends share is complete.
  bool remove(std::size_t i, std::size_t j, Stream& random) {
    bool complete = true;
    for_each(separator_, [&](std::size_t node) {
      reset(separator_.row(), node);
      complete = complete && is_subset(separator_, adjacent_[node]);
      set(separator_.row(), node);
    });
    if (!complete) return false;
    const std::size_t clique = holding(i, j);
    bool whole_x = true, whole_y = true;
    // A neighbour that holds a whole side stays in its place.
    for (const std::size_t link : tree_.links_of(clique)) {
      if (count(tree_.separator(link)) + 1 < count(tree_.clique(clique))) continue;
      if (test(tree_.separator(link), i) && !test(tree_.separator(link), j)) whole_x = false;
      if (test(tree_.separator(link), j) && !test(tree_.separator(link), i)) whole_y = false;
    }
    if (!accepted(-terms_.gain(separator_, x_, y_, whole_x, whole_y), random)) return false;
    for (const std::size_t node : {i, j}) keep(clique, node, node == i ? j : i);
    tree_.disconnect(clique, x_, y_, tree_.cut(clique, x_, y_), random);
    adjacent_.reset(i, j);
    adjacent_.reset(j, i);
    return true;
  }

  // Where a neighbour holds all of a clique but one node, all that may hang on it does.
  void keep(std::size_t clique, std::size_t with, std::size_t without) {
    const std::size_t size = count(tree_.clique(clique));
    for (const std::size_t link : tree_.links_of(clique))
      if (count(tree_.separator(link)) + 1 == size && test(tree_.separator(link), with) &&
          !test(tree_.separator(link), without))
        return tree_.gather(clique, link);
  }

  // An edge may come when the nodes that its ends share separate them: when they are a link of the way between.
  bool add(std::size_t i, std::size_t j, Stream& random) {
    find_way(i, j);
    const auto same = [&](std::size_t link) { return std::ranges::equal(tree_.separator(link), separator_.row()); };
    const auto place = std::ranges::find_if(way_, same);
    if (place == way_.end()) return false;
    const std::size_t link = *place, size = count(separator_) + 1;
    const bool whole_x = count(tree_.clique(from_)) == size, whole_y = count(tree_.clique(to_)) == size;
    if (!accepted(terms_.gain(separator_, x_, y_, whole_x, whole_y), random)) return false;
    tree_.rehang(link, from_, to_);
    tree_.connect(link, x_, y_);
    adjacent_.set(i, j);
    adjacent_.set(j, i);
    return true;
  }

  bool accepted(double gain, Stream& random) {
    if (!(gain >= 0) && !(std::log(random.uniform()) < gain)) return false;
    score_ += gain;
    return true;
  }

  // A clique that holds two adjacent nodes.
  std::size_t holding(std::size_t i, std::size_t j) {
    walk(
        i, [&](std::size_t k) { return test(tree_.clique(k), j); },
        [&](std::size_t link) { return test(tree_.separator(link), i); });
    return steps_[found_].clique;
  }

  // The links between the cliques that hold i and those that hold j.
  void find_way(std::size_t i, std::size_t j) {
    walk(i, [&](std::size_t k) { return test(tree_.clique(k), j); }, [](std::size_t) { return true; });
    way_.clear();
    to_ = steps_[found_].clique;
    for (std::size_t at = found_; !test(tree_.clique(steps_[at].clique), i); at = steps_[at].before) {
      way_.push_back(steps_[at].link);
      from_ = steps_[steps_[at].before].clique;
    }
  }

  // From a clique with a node to the first for which something holds, along links that may be crossed.
  template <class Holds, class Crossed>
  void walk(std::size_t node, Holds&& holds, Crossed&& crossed) {
    steps_.assign(1, {tree_.clique_with(node), no_node, no_node});
    for (found_ = 0; found_ < steps_.size(); ++found_) {
      const Step at = steps_[found_];
      if (holds(at.clique)) return;
      for (const std::size_t link : tree_.links_of(at.clique))
        if (link != at.link && crossed(link)) steps_.push_back({tree_.other(link, at.clique), link, found_});
    }
  }

  struct Step {
    std::size_t clique, link, before;
  };

  CliqueTerms terms_;
  BitMatrix adjacent_;
  JunctionTree tree_;
  double score_;
  BitSet separator_, x_, y_;
  std::vector<Step> steps_;
  std::size_t found_ = 0;
  std::vector<std::size_t> way_;
  std::size_t from_ = 0, to_ = 0;
};

}  // namespace

UndirectedLog giudici_green_chain(const DecomposableTarget& target, const BitMatrix& start, const ChainLength& length,
                                  Stream random) {
  GiudiciGreen chain(target, start);
  UndirectedLog log(target.size(), length.saved() + 1, UndirectedLog::means_for(length));
  log.become(start);
  return run_undirected(
      std::move(log), length, [&](std::size_t, UndirectedLog& to) { chain.step(to, random); },
      [&] { return chain.score(); });
}

}  // namespace dagathlon
