#include "dagathlon/skeleton.hpp"

#include <algorithm>
#include <utility>

#include "dagathlon/pulse.hpp"

namespace dagathlon {

void SeparatingSets::put(std::size_t x, std::size_t y, Nodes set) {
  if (pool_.empty()) pool_.push_back(0);
  if (set.empty()) {
    // All empty sets are one.
    start_[cell(x, y)] = 1;
    return;
  }
  start_[cell(x, y)] = static_cast<std::uint32_t>(pool_.size()) + 1;
  pool_.push_back(static_cast<std::uint32_t>(set.size()));
  for (const std::size_t node : set) pool_.push_back(static_cast<std::uint32_t>(node));
}

std::span<const std::uint32_t> SeparatingSets::get(std::size_t x, std::size_t y) const {
  if (!known(x, y)) return {};
  const std::size_t place = start_[cell(x, y)] - 1;
  return {pool_.data() + place + 1, pool_[place]};
}

bool SeparatingSets::contains(std::size_t x, std::size_t y, std::size_t node) const {
  return std::ranges::find(get(x, y), static_cast<std::uint32_t>(node)) != get(x, y).end();
}

namespace {

class SkeletonSearch {
 public:
  SkeletonSearch(IndependenceTest& test, const SkeletonOptions& options)
      : test_(test),
        options_(options),
        result_{complete(), SeparatingSets(test.size()), {}},
        asked_(test.size()),
        answered_(test.size()),
        hopeless_(test.size()) {}

  Skeleton run() {
    for (std::size_t order = 0; order <= options_.max_order; ++order) {
      if (!any_set(order) || !test_.worth_trying(order)) break;
      const std::size_t before = test_.calls();
      const bool enough = level(order);
      if (!enough) break;
      result_.tests.push_back(test_.calls() - before);
      give_up_hopeless();
    }
    return std::move(result_);
  }

 private:
  BitMatrix complete() const {
    const std::size_t n = test_.size();
    BitMatrix all(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (i != j && (options_.fixed_gaps.size() == 0 || !options_.fixed_gaps.test(i, j))) all.set(i, j);
    return all;
  }

  // Whether a node has a neighbour that may be separated yet, and enough others for a set of this size.
  bool any_set(std::size_t order) const {
    if (order == 0) return true;
    for (std::size_t x = 0; x < test_.size(); ++x)
      if (count(result_.adjacent[x]) > order && !is_subset(result_.adjacent[x], hopeless_[x])) return true;
    return false;
  }

  // A question that the data cannot answer has no answer given more variables either: pairs all of whose
  // questions of this level stayed open are not asked about again.
  void give_up_hopeless() {
    for (std::size_t x = 0; x < test_.size(); ++x)
      for_each(result_.adjacent[x], [&](std::size_t y) {
        if (asked_.test(x, y) && !answered_.test(x, y)) hopeless_.set(x, y);
      });
    asked_ = answered_ = BitMatrix(test_.size());
  }

  // Runs some tests of a pair and keeps whether there were any, and any with an answer.
  template <class Tests>
  auto watched(std::size_t x, std::size_t y, Tests&& tests) {
    const std::size_t calls = test_.calls();
    const std::size_t undefined = test_.undefined();
    auto result = tests();
    if (test_.calls() > calls) set_both(asked_, x, y);
    if (test_.calls() - calls > test_.undefined() - undefined) set_both(answered_, x, y);
    return result;
  }

  static void set_both(BitMatrix& matrix, std::size_t x, std::size_t y) {
    matrix.set(x, y);
    matrix.set(y, x);
  }

  // Whether any node had enough neighbours for sets of this size.
  bool level(std::size_t order) {
    if (order == 0) return marginal_level();
    frozen_ = result_.adjacent;
    return options_.stable ? stable_level(order) : original_level(order);
  }

  bool marginal_level() {
    for (std::size_t x = 0; x < test_.size(); ++x) {
      pulse::progress(x, test_.size());
      for (std::size_t y = x + 1; y < test_.size(); ++y)
        if (result_.adjacent.test(x, y) && !is_fixed(x, y) &&
            watched(x, y, [&] { return test_.independent(x, y, {}, options_.alpha); }))
          separate(x, y, {});
    }
    return true;
  }

  bool stable_level(std::size_t order) {
    bool enough = false;
    for (std::size_t x = 0; x < test_.size(); ++x) {
      pulse::progress(x, test_.size());
      const BitSet after = later(frozen_[x], x);
      for_each(after, [&](std::size_t y) {
        enough = try_side(x, y, order, frozen_, {}) || enough;
        if (!options_.one_sided && result_.adjacent.test(x, y))
          enough = try_side(y, x, order, frozen_, options_.ask_again ? ConstRow() : frozen_[x]) || enough;
      });
    }
    return enough;
  }

  // Pairs in both directions, with the neighbours that are left when their turn comes. A set of
  // neighbours of both ends was tried before from the lower end, which had all of them then.
  bool original_level(std::size_t order) {
    bool enough = false;
    for (std::size_t x = 0; x < test_.size(); ++x) {
      pulse::progress(x, test_.size());
      in_sequence(frozen_[x], [&](std::size_t y) {
        if (!result_.adjacent.test(x, y) || (options_.one_sided && y < x)) return;
        const bool seen = y < x && !options_.ask_again;
        enough = try_side(x, y, order, result_.adjacent, seen ? ConstRow(result_.adjacent[y]) : ConstRow()) || enough;
      });
    }
    return enough;
  }

  template <class Visit>
  void in_sequence(ConstRow nodes, Visit&& visit) const {
    if (options_.sequence.empty()) return for_each(nodes, visit);
    for (const std::size_t node : options_.sequence)
      if (test(nodes, node)) visit(node);
  }

  bool try_side(std::size_t x, std::size_t y, std::size_t order, const BitMatrix& neighbours, ConstRow tried) {
    candidates_.clear();
    in_sequence(neighbours[x], [&](std::size_t z) {
      if (z != y && options_.may_condition(z, x, y)) candidates_.push_back(z);
    });
    if (candidates_.size() < order || hopeless_.test(x, y)) return false;
    if (is_fixed(x, y)) return true;
    const auto found =
        watched(x, y, [&] { return test_.separator(x, y, {candidates_, order, tried}, options_.alpha); });
    if (found) separate(x, y, *found);
    return true;
  }

  bool is_fixed(std::size_t x, std::size_t y) const {
    return options_.fixed_edges.size() > 0 && options_.fixed_edges.test(x, y);
  }

  void separate(std::size_t x, std::size_t y, Nodes set) {
    result_.adjacent.reset(x, y);
    result_.adjacent.reset(y, x);
    result_.separating.put(x, y, set);
  }

  BitSet later(ConstRow row, std::size_t x) const {
    BitSet result(test_.size(), row);
    for (std::size_t k = 0; k < x / word_bits; ++k) result.row()[k] = 0;
    for (std::size_t i = x / word_bits * word_bits; i <= x; ++i) result.reset(i);
    return result;
  }

  IndependenceTest& test_;
  const SkeletonOptions& options_;
  Skeleton result_;
  BitMatrix frozen_;
  // Pairs that were tested at this level, those with an answer, and those that no level will have one for.
  BitMatrix asked_;
  BitMatrix answered_;
  BitMatrix hopeless_;
  std::vector<std::size_t> candidates_;
};

}  // namespace

Skeleton find_skeleton(IndependenceTest& test, const SkeletonOptions& options) {
  return SkeletonSearch(test, options).run();
}

void recheck_edges(IndependenceTest& corrected, Skeleton& skeleton, const SkeletonOptions& options) {
  const std::size_t n = corrected.size();
  SkeletonOptions again = options;
  again.fixed_gaps = BitMatrix(n);
  again.fixed_edges = BitMatrix(n);
  for (std::size_t x = 0; x < n; ++x)
    for (std::size_t y = 0; y < n; ++y) {
      const bool known = options.fixed_edges.size() > 0 && options.fixed_edges.test(x, y);
      if (!skeleton.adjacent.test(x, y)) again.fixed_gaps.set(x, y);
      else if (known || !intersects(skeleton.adjacent[x], skeleton.adjacent[y])) again.fixed_edges.set(x, y);
    }
  const Skeleton found = find_skeleton(corrected, again);
  for (std::size_t x = 0; x < n; ++x)
    for (std::size_t y = x + 1; y < n; ++y)
      if (found.separating.known(x, y)) {
        const auto set = found.separating.get(x, y);
        skeleton.separating.put(x, y, std::vector<std::size_t>(set.begin(), set.end()));
      }
  skeleton.adjacent = found.adjacent;
}

BitMatrix possible_ancestors(const BitMatrix& forbidden) {
  const std::size_t n = forbidden.size();
  BitMatrix reach(n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (a == b || !forbidden.test(a, b)) reach.set(a, b);
  for (std::size_t middle = 0; middle < n; ++middle)
    for (std::size_t a = 0; a < n; ++a)
      if (reach.test(a, middle)) unite(reach[a], reach[middle]);
  return reach;
}

}  // namespace dagathlon
