#include "dagathlon/constraint/skeleton.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "dagathlon/graph/neighbour_lists.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

void SeparatingSets::put(std::size_t x, std::size_t y, Nodes set) {
  const auto [low, high] = std::minmax(x, y);
  if (set.empty()) return empty_.set(low, high);
  empty_.reset(low, high);
  start_.put(cell(x, y), static_cast<std::uint32_t>(pool_.size()) + 2);
  pool_.push_back(static_cast<std::uint32_t>(set.size()));
  for (const std::size_t node : set) pool_.push_back(static_cast<std::uint32_t>(node));
}

std::span<const std::uint32_t> SeparatingSets::get(std::size_t x, std::size_t y) const {
  const std::size_t start = time(x, y);
  if (start < 2) return {};
  return {pool_.data() + start - 1, pool_[start - 2]};
}

bool SeparatingSets::contains(std::size_t x, std::size_t y, std::size_t node) const {
  if (all_others_.size() != 0 && all_others_.test(std::min(x, y), std::max(x, y))) return true;
  const auto set = get(x, y);
  return std::ranges::find(set, static_cast<std::uint32_t>(node)) != set.end();
}

namespace {

// What was found about a node and those behind it: for each pair that was separated the other node, the size of the
// set, and the set.
using Separations = std::vector<std::uint32_t>;

// Puts those of two searches about the same node into the order of the other nodes.
Separations merged(const Separations& first, const Separations& second) {
  Separations all;
  const auto entry = [](const Separations& from, std::size_t k) { return std::span(from).subspan(k, 2 + from[k + 1]); };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.size() || j < second.size()) {
    const bool from_first = j == second.size() || (i < first.size() && first[i] < second[j]);
    const auto next = from_first ? entry(first, i) : entry(second, j);
    all.insert(all.end(), next.begin(), next.end());
    (from_first ? i : j) += next.size();
  }
  return all;
}

// What one thread tests with, in cache lines of its own.
struct alignas(128) Hand {
  IndependenceTest* test;
  std::vector<std::size_t> candidates{};
  Separations found{};
};

class SkeletonSearch {
 public:
  SkeletonSearch(IndependenceTest& test, const SkeletonOptions& options)
      : test_(test),
        options_(options),
        result_{complete(), SeparatingSets(test.size()), {}},
        asked_(test.size()),
        answered_(test.size()),
        hopeless_(test.size()),
        rank_(options.sequence.size()),
        hands_{{&test}},
        team_(splits() ? test.size() : 1) {
    for (std::size_t k = 0; k < rank_.size(); ++k) rank_[options.sequence[k]] = k;
    while (hands_.size() < team_.size()) hands_.push_back({twins_.emplace_back(test.twin()).get()});
  }

  Skeleton run() {
    for (std::size_t order = 0; order <= options_.max_order; ++order) {
      if (!any_set(order) || !test_.worth_trying(order)) break;
      const std::size_t before = test_.calls();
      const std::size_t undefined = test_.undefined();
      const bool enough = level(order);
      if (!enough) break;
      result_.tests.push_back(test_.calls() - before);
      if (test_.undefined() > undefined) give_up_hopeless();
      asked_ = answered_ = BitMatrix(test_.size());
    }
    return std::move(result_);
  }

 private:
  // Whether the tests of a level may be made in any order, by several threads.
  bool splits() const { return allowed_threads() > 1 && options_.stable && test_.twin() != nullptr; }

  BitMatrix complete() const {
    const std::size_t n = test_.size();
    BitSet others(n);
    for (std::size_t i = 0; i < n; ++i) others.set(i);
    BitMatrix all(n);
    for (std::size_t i = 0; i < n; ++i) {
      unite(all[i], others);
      all.reset(i, i);
      if (options_.fixed_gaps.size() > 0) subtract(all[i], options_.fixed_gaps[i]);
    }
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
        const auto [low, high] = std::minmax(x, y);
        const bool asked = asked_.test(low, high) || asked_.test(high, low);
        if (asked && !answered_.test(low, high) && !answered_.test(high, low)) hopeless_.set(x, y);
      });
  }

  // Runs some tests of a pair and keeps whether there were any, and any with an answer, for the node whose turn it is.
  template <class Tests>
  auto watched(const IndependenceTest& test, std::size_t turn, std::size_t other, Tests&& tests) {
    const std::size_t calls = test.calls();
    const std::size_t undefined = test.undefined();
    auto result = tests();
    if (test.calls() > calls) asked_.set(turn, other);
    if (test.calls() - calls > test.undefined() - undefined) answered_.set(turn, other);
    return result;
  }

  // Whether any node had enough neighbours for sets of this size.
  bool level(std::size_t order) {
    if (order == 0) return marginal_level();
    frozen_ = result_.adjacent;
    if (!options_.stable) return original_level(order);
    const bool by_sides = test_.single_search() != nullptr && options_.possible_causes.size() == 0;
    return by_sides ? level_by_sides(order) : stable_level(order);
  }

  // Calls work(x, hand) for every node, by several threads where there are any, so many nodes at a time and those of
  // `turns`, if it has any, in its order: whatever it writes to is x's own.
  template <class Work>
  void for_each_node(std::size_t at_a_time, const std::vector<std::size_t>& turns, Work&& work) {
    team_.each((test_.size() + at_a_time - 1) / at_a_time, [&](std::size_t place, std::size_t member) {
      for (std::size_t k = place * at_a_time; k < std::min((place + 1) * at_a_time, test_.size()); ++k) {
        pulse::progress(k, test_.size());
        work(turns.empty() ? k : turns[k], hands_[member]);
      }
    });
    for (const auto& twin : twins_) test_.adopt(*twin);
  }

  // Rows are gone through from the lower to the higher number; the other half follows at the end, since
  // going down the columns of a large matrix costs more than the tests.
  bool marginal_level() {
    for_each_node(strip_height, {}, [&](std::size_t x, Hand& hand) {
      for_each(later(result_.adjacent[x], x), [&](std::size_t y) {
        const auto accepted = [&] { return hand.test->independent(x, y, {}, options_.alpha); };
        if (is_fixed(x, y) || !watched(*hand.test, x, y, accepted)) return;
        result_.adjacent.reset(x, y);
        result_.separating.put(x, y, {});
      });
    });
    mirror(result_.adjacent);
    return true;
  }

  void mirror(BitMatrix& upper) const {
    const BitMatrix found = upper;
    upper = BitMatrix(found.size());
    for (std::size_t x = 0; x < found.size(); ++x)
      for_each(later(found[x], x), [&](std::size_t y) {
        upper.set(x, y);
        upper.set(y, x);
      });
  }

  // All nodes, from that with the most sets to try on, so that no thread waits long for the last. Empty, which is the
  // order of the columns, for one thread, and where there are so many tests that it is their memory that takes long.
  std::vector<std::size_t> longest_first(const NeighbourLists& lists, std::size_t order) const {
    std::vector<std::size_t> nodes;
    if (team_.size() == 1 || order == 1) return nodes;
    std::vector<double> sets(test_.size());
    for (std::size_t x = 0; x < test_.size(); ++x)
      for (const std::size_t y : lists[x])
        if (y > x)
          for (const std::size_t end : {x, y})
            sets[x] += std::pow(static_cast<double>(lists[end].size()), static_cast<double>(order));
    for (std::size_t x = 0; x < test_.size(); ++x) nodes.push_back(x);
    std::ranges::stable_sort(nodes, std::greater<>(), [&](std::size_t x) { return sets[x]; });
    return nodes;
  }

  bool stable_level(std::size_t order) {
    NeighbourLists lists(frozen_);
    for (std::size_t x = 0; x < test_.size() && !rank_.empty(); ++x) in_turn(lists[x]);
    const bool alone = team_.size() == 1;
    std::vector<Separations> found(alone ? 0 : test_.size());
    std::vector<char> enough(test_.size());
    for_each_node(1, longest_first(lists, order), [&](std::size_t x, Hand& hand) {
      Separations& own = hand.found;
      own.clear();
      bool tried = false;
      for_each(later(frozen_[x], x), [&](std::size_t y) {
        const std::size_t before = own.size();
        tried |= try_side(hand, {x, y, x}, order, lists[x], {}, own);
        if (!options_.one_sided && own.size() == before)
          tried |= try_side(hand, {y, x, x}, order, lists[y], options_.ask_again ? ConstRow() : frozen_[x], own);
      });
      enough[x] = static_cast<char>(tried);
      if (alone) separate(x, own);
      else found[x] = own;
    });
    for (std::size_t x = 0; x < found.size(); ++x) separate(x, std::exchange(found[x], {}));
    return std::ranges::find(enough, char{1}) != enough.end();
  }

  // A level of a test on very many variables: first all sets of neighbours of the lower nodes of pairs, then those of
  // the higher ones, node after node, so that what questions have in common stays at hand. Sets of one variable are
  // asked about in the order of the node whose neighbours they are not.
  bool level_by_sides(std::size_t order) {
    NeighbourLists lists(frozen_);
    for (std::size_t x = 0; x < test_.size() && !rank_.empty(); ++x) in_turn(lists[x]);
    if (order == 1) keep_around(lists);
    std::vector<char> enough(test_.size());
    std::vector<Separations> of_lower(test_.size());
    ask_sides({order, true}, lists, enough, of_lower);
    for (std::size_t x = 0; x < test_.size(); ++x) part(x, of_lower[x]);
    std::vector<Separations> of_higher(test_.size());
    if (!options_.one_sided) ask_sides({order, false}, lists, enough, of_higher);
    kept_ = std::vector<double>();
    lists = {};
    std::size_t numbers = 0;
    for (std::size_t x = 0; x < test_.size(); ++x) numbers += of_lower[x].size() + of_higher[x].size();
    const std::size_t sets = numbers / (order + 2);
    result_.separating.reserve(sets, sets * order);
    for (std::size_t x = 0; x < test_.size(); ++x)
      separate(x, merged(std::exchange(of_lower[x], {}), std::exchange(of_higher[x], {})));
    return std::ranges::find(enough, char{1}) != enough.end();
  }

  // Which sets are asked about: of neighbours of the lower or of the higher nodes of pairs.
  struct Sides {
    std::size_t order;
    bool lower;
    // Whether nodes take turns as the other ones of their pairs.
    bool turned() const { return order == 1; }
  };

  void keep_around(const NeighbourLists& lists) {
    kept_.resize(lists.total());
    kept_nodes_ = std::as_const(lists)[0].data();
    for_each_node(strip_height, {}, [&](std::size_t x, Hand& hand) {
      pulse::beat(lists[x].size());
      hand.test->single_search()->keep(x, lists[x], std::span(kept_).subspan(lists.start(x), lists[x].size()));
    });
  }

  // Puts what separates a pair to its lower node, in the order of the higher ones.
  void ask_sides(const Sides& sides, const NeighbourLists& lists, std::vector<char>& enough,
                 std::vector<Separations>& of_lower) {
    const bool upwards = sides.lower != sides.turned();
    std::vector<Separations> found(test_.size());
    for_each_node(1, longest_first(lists, sides.order), [&](std::size_t turn, Hand& hand) {
      hand.found.clear();
      for_each(frozen_[turn], [&](std::size_t other) {
        if ((other > turn) != upwards || !result_.adjacent.test(turn, other)) return;
        const Side side = sides.turned() ? Side{other, turn, turn} : Side{turn, other, turn};
        const bool all = sides.lower || options_.ask_again;
        if (try_side(hand, side, sides.order, lists[side.x], all ? ConstRow() : frozen_[side.y], hand.found))
          enough[turn] = 1;
      });
      found[turn] = hand.found;
    });
    if (upwards) return of_lower.swap(found);
    for (std::size_t high = 0; high < found.size(); ++high) {
      const Separations entries = std::exchange(found[high], {});
      for (std::size_t k = 0; k < entries.size(); k += 2 + entries[k + 1]) {
        Separations& to = of_lower[entries[k]];
        to.push_back(static_cast<std::uint32_t>(high));
        to.insert(to.end(), entries.begin() + static_cast<std::ptrdiff_t>(k) + 1,
                  entries.begin() + static_cast<std::ptrdiff_t>(k) + 2 + entries[k + 1]);
      }
    }
  }

  // Pairs in both directions, with the neighbours that are left when their turn comes. A set of
  // neighbours of both ends was tried before from the lower end, which had all of them then.
  bool original_level(std::size_t order) {
    bool enough = false;
    Separations found;
    for (std::size_t x = 0; x < test_.size(); ++x) {
      pulse::progress(x, test_.size());
      for (const std::size_t y : turns(frozen_[x])) {
        if (!result_.adjacent.test(x, y) || (options_.one_sided && y < x)) continue;
        const bool seen = y < x && !options_.ask_again;
        const ConstRow tried = seen ? ConstRow(result_.adjacent[y]) : ConstRow();
        enough = try_side(hands_[0], {x, y, x}, order, turns(result_.adjacent[x]), tried, found) || enough;
        separate(x, found);
        found.clear();
      }
    }
    return enough;
  }

  // Puts nodes into the order in which they are tried.
  void in_turn(std::span<std::uint32_t> nodes) const {
    if (!rank_.empty()) std::ranges::sort(nodes, {}, [&](std::uint32_t node) { return rank_[node]; });
  }

  std::vector<std::uint32_t> turns(ConstRow row) const {
    std::vector<std::uint32_t> nodes;
    for_each(row, [&](std::size_t node) { nodes.push_back(static_cast<std::uint32_t>(node)); });
    in_turn(nodes);
    return nodes;
  }

  // A pair, of whose first node neighbours are tried, and the one of them whose turn it is.
  struct Side {
    std::size_t x;
    std::size_t y;
    std::size_t turn;
    std::size_t other() const { return turn == x ? y : x; }
  };

  // Sets of neighbours of the first of a pair; whether there are enough of them.
  bool try_side(Hand& hand, const Side& side, std::size_t order, std::span<const std::uint32_t> neighbours,
                ConstRow tried, Separations& separations) {
    const auto [x, y, turn] = side;
    if (neighbours.size() <= order || hopeless_.test(x, y)) return false;
    if (!kept_.empty()) return is_fixed(x, y) || try_singles(hand, side, neighbours, tried, separations);
    hand.candidates.clear();
    for (const std::size_t z : neighbours)
      if (z != y && options_.may_condition(z, x, y)) hand.candidates.push_back(z);
    if (hand.candidates.size() < order) return false;
    if (is_fixed(x, y)) return true;
    const auto found = watched(*hand.test, turn, side.other(), [&] {
      return hand.test->separator(x, y, {hand.candidates, order, tried}, options_.alpha);
    });
    if (!found) return true;
    separations.push_back(static_cast<std::uint32_t>(side.other()));
    separations.push_back(static_cast<std::uint32_t>(found->size()));
    for (const std::size_t node : *found) separations.push_back(static_cast<std::uint32_t>(node));
    return true;
  }

  bool is_fixed(std::size_t x, std::size_t y) const {
    return options_.fixed_edges.size() > 0 && options_.fixed_edges.test(x, y);
  }

  bool try_singles(Hand& hand, const Side& side, std::span<const std::uint32_t> neighbours, ConstRow tried,
                   Separations& separations) {
    // The numbers lie as the neighbours do.
    const std::span<const double> kept(kept_.data() + (neighbours.data() - kept_nodes_), neighbours.size());
    const std::size_t found = watched(*hand.test, side.turn, side.other(), [&] {
      return hand.test->single_search()->single_separator(side.x, side.y, {neighbours, kept}, tried, options_.alpha);
    });
    if (found == no_node) return true;
    for (const std::size_t number : {side.other(), std::size_t{1}, found})
      separations.push_back(static_cast<std::uint32_t>(number));
    return true;
  }

  // Makes pairs that were separated no longer adjacent.
  void part(std::size_t x, const Separations& found) {
    for (std::size_t k = 0; k < found.size(); k += 2 + found[k + 1]) {
      result_.adjacent.reset(x, found[k]);
      result_.adjacent.reset(found[k], x);
    }
  }

  void separate(std::size_t x, const Separations& found) {
    part(x, found);
    std::vector<std::size_t> set;
    for (std::size_t k = 0; k < found.size(); k += 2 + found[k + 1]) {
      const auto members = found.begin() + static_cast<std::ptrdiff_t>(k) + 2;
      set.assign(members, members + found[k + 1]);
      result_.separating.put(x, found[k], set);
    }
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
  // What the test keeps of the neighbours of all nodes, while sets of one are asked about, and the first neighbour.
  std::vector<double> kept_;
  const std::uint32_t* kept_nodes_ = nullptr;
  // When a node's turn comes; empty for the order of the columns.
  std::vector<std::size_t> rank_;
  std::vector<std::unique_ptr<IndependenceTest>> twins_;
  std::vector<Hand> hands_;
  Team team_;
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
