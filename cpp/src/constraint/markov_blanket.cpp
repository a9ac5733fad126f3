#include "dagathlon/constraint/markov_blanket.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "dagathlon/test/ties.hpp"

namespace dagathlon {

NodeVector others(std::size_t n, std::size_t x) {
  NodeVector all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::erase(all, x);
  return all;
}

NodeVector without(Nodes nodes, std::size_t node) {
  NodeVector rest(nodes.begin(), nodes.end());
  std::erase(rest, node);
  return rest;
}

bool contains(Nodes nodes, std::size_t node) { return std::ranges::find(nodes, node) != nodes.end(); }

namespace {

class Search {
 public:
  Search(IndependenceTest& test, std::size_t x, Nodes candidates, const BlanketOptions& options)
      : test_(test), x_(x), candidates_(candidates.begin(), candidates.end()), options_(options) {
    for (const std::size_t y : candidates_)
      if (options_.always(x_, y)) blanket_.push_back(y);
    for (const std::size_t y : options_.start)
      if (!contains(blanket_, y)) blanket_.push_back(y);
  }

  NodeVector run() {
    switch (options_.search) {
      case BlanketSearch::grow_shrink: grow_shrink(); break;
      case BlanketSearch::incremental: incremental(); break;
      case BlanketSearch::fast: fast(); break;
      case BlanketSearch::interleaved: interleaved(); break;
      case BlanketSearch::false_discovery: false_discovery(); break;
    }
    return blanket_;
  }

 private:
  bool full() const { return blanket_.size() > options_.max_given; }
  bool independent(std::size_t y, Nodes given) { return test_.independent(x_, y, given, options_.alpha); }

  void grow_shrink() {
    while (!full() && test_.worth_trying(blanket_.size())) {
      const auto next = std::ranges::find_if(
          candidates_, [&](std::size_t y) { return !contains(blanket_, y) && !independent(y, blanket_); });
      if (next == candidates_.end()) break;
      blanket_.push_back(*next);
    }
    shrink(no_node);
  }

  void incremental() {
    std::size_t latest = no_node;
    for (std::size_t y = strongest(); y != no_node; y = strongest()) {
      blanket_.push_back(y);
      latest = y;
    }
    shrink(latest);
  }

  void interleaved() {
    std::set<NodeVector> seen;
    for (std::size_t y = strongest(); y != no_node; y = strongest()) {
      blanket_.push_back(y);
      shrink(y);
      if (!first_time(seen)) break;
    }
  }

  void fast() {
    NodeVector left = candidates_;
    for (bool changed = true; changed && !full();) {
      const NodeVector before = blanket_;
      const std::vector<Association> found = associations(left);
      if (found.empty()) break;
      const bool rows_ran_out = add_all(found);
      const NodeVector grown = blanket_;
      shrink_once();
      // A member that is given up later than it came in does not come back, or the search might not
      // end.
      for (const std::size_t y : before)
        if (!contains(blanket_, y)) std::erase(left, y);
      changed = !same_members(before, blanket_) && !(rows_ran_out && grown == blanket_);
    }
  }

  // After each change every variable is tested again, members given the other members.
  void false_discovery() {
    std::set<NodeVector> seen;
    for (NodeVector before = blanket_; !full() && change_one(); before = blanket_) {
      if (first_time(seen)) continue;
      blanket_ = before;
      return;
    }
  }

  bool change_one() {
    std::vector<Association> found;
    for (const std::size_t y : candidates_)
      if (!options_.always(x_, y)) found.emplace_back(p_value_of(y), y);
    adjust(found);
    const auto leaves = std::find_if(found.rbegin(), found.rend(), [&](const Association& a) {
      return contains(blanket_, a.node) && a.p_value > options_.alpha;
    });
    if (leaves != found.rend()) return std::erase(blanket_, leaves->node) > 0;
    // Only the strongest may come in, though a weaker one may have a lower adjusted p-value.
    const auto enters = std::ranges::find_if(found, [&](const Association& a) { return !contains(blanket_, a.node); });
    if (enters == found.end() || enters->p_value > options_.alpha) return false;
    blanket_.push_back(enters->node);
    return true;
  }

  // What is outside and does not depend on x stays outside, and its adjusted p-value counts nowhere.
  double p_value_of(std::size_t y) {
    if (contains(blanket_, y)) return test_.test(x_, y, without(blanket_, y)).p_value;
    return test_.association(x_, y, blanket_, options_.alpha);
  }

  // Sorts by p-value and bounds the false discovery rate under any dependence (Benjamini and
  // Yekutieli 2001).
  static void adjust(std::vector<Association>& found) {
    std::ranges::stable_sort(found, {}, &Association::rank);
    double harmonic = 0;
    for (std::size_t k = 1; k <= found.size(); ++k) harmonic += 1.0 / static_cast<double>(k);
    const double scale = harmonic * static_cast<double>(found.size());
    for (std::size_t k = 0; k < found.size(); ++k) found[k].p_value *= scale / static_cast<double>(k + 1);
  }

  // The variable with the lowest p-value given the blanket, if it depends on x.
  std::size_t strongest() {
    if (full()) return no_node;
    const std::vector<Association> found = associations(candidates_);
    return found.empty() ? no_node : found.front().node;
  }

  // Variables outside the blanket that depend on x given it, lowest p-value first.
  std::vector<Association> associations(Nodes nodes) {
    std::vector<Association> found;
    for (const std::size_t y : nodes) {
      if (contains(blanket_, y)) continue;
      const double p_value = test_.association(x_, y, blanket_, options_.alpha);
      if (p_value < options_.alpha) found.emplace_back(p_value, y);
    }
    std::ranges::stable_sort(found, {}, &Association::rank);
    return found;
  }

  // Whether the rows ran out before all were added.
  bool add_all(const std::vector<Association>& found) {
    for (const Association& next : found) {
      if (!enough_rows(next.node)) return true;
      blanket_.push_back(next.node);
    }
    return false;
  }

  bool enough_rows(std::size_t next) const {
    if (options_.levels.empty()) return true;
    double cells = static_cast<double>(options_.levels[x_] * options_.levels[next]);
    for (const std::size_t y : blanket_) cells *= static_cast<double>(options_.levels[y]);
    return static_cast<double>(options_.rows) / cells >= 5.0;
  }

  // Removes members that do not depend on x given the others, from the first on after each. The
  // latest member has just been tested.
  void shrink(std::size_t latest) {
    for (bool changed = true; changed;) {
      const auto gone = std::ranges::find_if(blanket_, [&](std::size_t y) { return y != latest && superfluous(y); });
      changed = gone != blanket_.end();
      if (changed) blanket_.erase(gone);
    }
  }

  void shrink_once() {
    const NodeVector members = blanket_;
    for (const std::size_t y : members)
      if (superfluous(y)) std::erase(blanket_, y);
  }

  bool superfluous(std::size_t y) { return !options_.always(x_, y) && independent(y, without(blanket_, y)); }

  bool first_time(std::set<NodeVector>& seen) const {
    NodeVector sorted = blanket_;
    std::ranges::sort(sorted);
    return seen.insert(std::move(sorted)).second;
  }

  static bool same_members(NodeVector a, NodeVector b) {
    std::ranges::sort(a);
    std::ranges::sort(b);
    return a == b;
  }

  IndependenceTest& test_;
  std::size_t x_;
  NodeVector candidates_;
  const BlanketOptions& options_;
  NodeVector blanket_;
};

}  // namespace

NodeVector markov_blanket(IndependenceTest& test, std::size_t x, Nodes candidates, const BlanketOptions& options) {
  return Search(test, x, candidates, options).run();
}

}  // namespace dagathlon
