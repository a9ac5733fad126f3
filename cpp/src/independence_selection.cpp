#include <algorithm>
#include <queue>
#include <set>
#include <utility>

#include "dagathlon/parent_sets.hpp"

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

using Members = std::vector<std::size_t>;

// A set that may be scored next.
struct Promise {
  double value;
  Members members;
  bool operator<(const Promise& other) const {
    return value < other.value || (value == other.value && members > other.members);
  }
};

class Exploration {
 public:
  Exploration(Score& score, const Guide& guide, const SearchLimits& limits, std::size_t child)
      : score_(score), guide_(guide), child_(child), most_(limits.max_parents), of_one_(score.size()) {
    for (std::size_t x = 0; x < score.size(); ++x) {
      if (x == child || limits.forbidden.test(x, child)) continue;
      allowed_.push_back(x);
      if (limits.required.test(x, child)) required_.push_back(x);
    }
  }

  std::vector<ParentSet> explore(std::size_t budget) {
    const double none = start();
    while (!queue_.empty() && budget-- > 0) {
      const Members members = queue_.top().members;
      queue_.pop();
      keep(members);
      promise_more(members, guide_.score.local(child_, members), none);
    }
    keep_undominated(found_);
    return std::move(found_);
  }

  std::size_t scored() const { return scored_; }

 private:
  // Sets of at most one parent besides the required ones, and the promises of pairs.
  double start() {
    const double none = guide_.score.local(child_, {});
    keep(required_);
    for (const std::size_t x : allowed_) of_one_[x] = guide_.score.local(child_, Members{x});
    if (most_ == 0) return none;
    for (const std::size_t x : allowed_) {
      if (std::ranges::binary_search(required_, x)) continue;
      Members members = with(required_, x);
      if (members.size() > most_) continue;
      keep(members);
      promise_more(members, guide_.score.local(child_, members), none);
    }
    return none;
  }

  static Members with(const Members& members, std::size_t x) {
    Members result = members;
    result.insert(std::ranges::upper_bound(result, x), x);
    return result;
  }

  void promise_more(const Members& members, double value, double none) {
    if (members.size() >= most_) return;
    for (const std::size_t x : allowed_) {
      if (std::ranges::binary_search(members, x)) continue;
      Members more = with(members, x);
      if (!seen_.insert(more).second) continue;
      queue_.push({guide_.of_union(child_, value, size_of(members), of_one_[x], size_of({x}), none), std::move(more)});
    }
  }

  double size_of(const Members& members) const {
    double product = 1;
    if (!guide_.levels.empty())
      for (const std::size_t x : members) product *= static_cast<double>(guide_.levels[x]);
    return product;
  }

  void keep(const Members& members) {
    ++scored_;
    found_.push_back({score_.local(child_, members), members});
  }

  Score& score_;
  const Guide& guide_;
  std::size_t child_;
  std::size_t most_;
  Members allowed_;
  Members required_;
  std::vector<double> of_one_;
  std::size_t scored_ = 0;
  std::priority_queue<Promise> queue_;
  std::set<Members> seen_;
  std::vector<ParentSet> found_;
};

}  // namespace

Enumeration explore_parent_sets(Score& score, const Guide& guide, const SearchLimits& limits, std::size_t budget) {
  Enumeration result;
  for (std::size_t child = 0; child < score.size(); ++child) {
    Exploration exploration(score, guide, limits, child);
    result.sets.push_back(exploration.explore(budget));
    result.scored += exploration.scored();
  }
  return result;
}

}  // namespace dagathlon
