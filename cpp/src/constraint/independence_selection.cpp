#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/score/parent_sets.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

double Guide::of_union(std::size_t child, double first, double first_size, double second, double second_size,
                       double none) const {
  const double known = first + second - none;
  if (levels.empty()) return known;
  // The parameters of the union are not the sum of those of its parts.
  const double parameters = first_size + second_size - first_size * second_size - 1;
  return known + penalty * static_cast<double>(levels[child] - 1) * parameters;
}

namespace {

// Configurations of some nodes; one where nodes have no levels.
double configurations(Nodes members, const std::vector<std::size_t>& levels) {
  double product = 1;
  if (!levels.empty())
    for (const std::size_t x : members) product *= static_cast<double>(levels[x]);
  return product;
}

}  // namespace

double Guide::size_of(Nodes members) const { return configurations(members, levels); }
double Budget::size_of(Nodes members) const { return configurations(members, levels); }

namespace {

using Members = std::vector<std::size_t>;

// A set that may be scored next.
struct Promise {
  double value;
  Members members;
  bool operator<(const Promise& other) const {
    return value < other.value || (value == other.value && members > other.members);
  }
};

// Fingerprints that were met before. Millions are asked for, so they lie in one open table.
class Fingerprints {
 public:
  Fingerprints() : places_(first_size) {}

  // Whether it is new.
  bool insert(std::uint64_t print) {
    if (2 * ++used_ > places_.size()) grow();
    return put(print | 1);
  }

 private:
  static constexpr std::size_t first_size = std::size_t{1} << 8;

  bool put(std::uint64_t print) {
    const std::size_t mask = places_.size() - 1;
    std::size_t k = (print >> 1) & mask;
    for (; places_[k] != 0; k = (k + 1) & mask)
      if (places_[k] == print) return false;
    places_[k] = print;
    return true;
  }

  void grow() {
    std::vector<std::uint64_t> old(2 * places_.size());
    old.swap(places_);
    for (const std::uint64_t print : old)
      if (print != 0) put(print);
  }

  std::vector<std::uint64_t> places_;
  std::size_t used_ = 0;
};

// The best promises first; no more of them than will be asked for.
class Promises {
 public:
  bool empty() const { return heap_.empty(); }

  // Whether a promise of this value may still have its turn.
  bool within_reach(double value) const { return value >= least_; }

  void push(Promise promise) {
    heap_.push_back(std::move(promise));
    std::ranges::push_heap(heap_, in_turn);
  }

  Members pop() {
    std::ranges::pop_heap(heap_, in_turn);
    Members result = std::move(heap_.back().members);
    heap_.pop_back();
    return result;
  }

  // Leaves out what cannot have its turn in so many more.
  void shorten(std::size_t turns) {
    if (heap_.size() <= 2 * turns + shortest) return;
    const auto end = heap_.begin() + static_cast<std::ptrdiff_t>(turns);
    std::ranges::nth_element(heap_, end, [](const Promise& a, const Promise& b) { return b < a; });
    least_ = end->value;
    heap_.erase(end, heap_.end());
    std::ranges::make_heap(heap_, in_turn);
  }

 private:
  static constexpr std::size_t shortest = 64;
  static bool in_turn(const Promise& a, const Promise& b) { return a < b; }

  std::vector<Promise> heap_;
  double least_ = -std::numeric_limits<double>::infinity();
};

class Exploration {
 public:
  Exploration(Score& score, const Guide& guide, const SearchLimits& limits, const Budget& budget, std::size_t child)
      : score_(score), guide_(guide), budget_(budget), child_(child), most_(limits.max_parents), of_one_(score.size()) {
    for (std::size_t x = 0; x < score.size(); ++x) {
      if (x == child || limits.forbidden.test(x, child)) continue;
      allowed_.push_back(x);
      if (limits.required.test(x, child)) required_.push_back(x);
    }
    Stream random(0, 0);
    for (std::size_t x = 0; x < score.size(); ++x) prints_.push_back(random.bits());
  }

  // The required parents alone, so that there is a list whatever happens.
  void begin() { keep(required_); }

  // Sets of one parent besides the required ones.
  void add_single() {
    for (const std::size_t x : allowed_) {
      if (most_ == 0 || std::ranges::binary_search(required_, x)) continue;
      const Members members = with(required_, x);
      if (members.size() <= most_) keep(members);
    }
  }

  void explore() {
    const double none = promise_pairs();
    std::size_t left = budget_.sets;
    while (!queue_.empty() && spent_ < budget_.work && left-- > 0) {
      const Members members = queue_.pop();
      keep(members);
      promise_more(members, guide_.score.local(child_, members), none);
      queue_.shorten(left);
    }
  }

  // Leaves out what only this node's exploration needs. On a copy, for the deadline may come meanwhile.
  void finish() {
    queue_ = {};
    seen_ = {};
    std::vector<ParentSet> list = found_;
    keep_undominated(list);
    found_ = std::move(list);
  }

  std::vector<ParentSet> take() { return std::move(found_); }

  std::size_t scored() const { return scored_; }

 private:
  double promise_pairs() {
    const double none = guide_.score.local(child_, {});
    for (const std::size_t x : allowed_) of_one_[x] = guide_.score.local(child_, Members{x});
    const std::vector<ParentSet> single = found_;
    for (const ParentSet& set : single)
      if (set.parents.size() > required_.size())
        promise_more(set.parents, guide_.score.local(child_, set.parents), none);
    return none;
  }

  static Members with(const Members& members, std::size_t x) {
    Members result = members;
    result.insert(std::ranges::upper_bound(result, x), x);
    return result;
  }

  void promise_more(const Members& members, double value, double none) {
    if (members.size() >= most_) return;
    const double size = guide_.size_of(members);
    std::uint64_t print = 0;
    for (const std::size_t x : members) print ^= prints_[x];
    for (const std::size_t x : allowed_) {
      if (std::ranges::binary_search(members, x) || !seen_.insert(print ^ prints_[x])) continue;
      const double promised = guide_.of_union(child_, value, size, of_one_[x], guide_.size_of(Nodes(&x, 1)), none);
      if (queue_.within_reach(promised)) queue_.push({promised, with(members, x)});
    }
  }

  void keep(const Members& members) {
    pulse::beat();
    found_.push_back({score_.local(child_, members), members});
    ++scored_;
    spent_ += budget_.size_of(members) + budget_.size_of(Nodes(&child_, 1));
  }

  Score& score_;
  const Guide& guide_;
  const Budget& budget_;
  std::size_t child_;
  std::size_t most_;
  Members allowed_;
  Members required_;
  std::vector<double> of_one_;
  std::size_t scored_ = 0;
  // The sizes of the tables so far: of the parents' and of the child's own.
  double spent_ = 0;
  Promises queue_;
  // A set is known by the combined random numbers of its members.
  std::vector<std::uint64_t> prints_;
  Fingerprints seen_;
  std::vector<ParentSet> found_;
};

}  // namespace

Enumeration explore_parent_sets(Score& score, const Guide& guide, const SearchLimits& limits, const Budget& budget) {
  std::vector<Exploration> nodes;
  nodes.reserve(score.size());
  for (std::size_t child = 0; child < score.size(); ++child) nodes.emplace_back(score, guide, limits, budget, child);
  for (Exploration& node : nodes) node.begin();
  std::size_t finished = 0;
  pulse::until_deadline([&] {
    for (Exploration& node : nodes) node.add_single();
    for (; finished < nodes.size(); ++finished) {
      pulse::progress(finished, nodes.size());
      nodes[finished].explore();
      nodes[finished].finish();
    }
  });
  for (; finished < nodes.size(); ++finished) nodes[finished].finish();
  Enumeration result;
  for (Exploration& node : nodes) {
    result.sets.push_back(node.take());
    result.scored += node.scored();
  }
  return result;
}

}  // namespace dagathlon
