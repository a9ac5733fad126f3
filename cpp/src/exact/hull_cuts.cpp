// Cuts of the convex hull of the DAGs on a few nodes.
//
// Terms are what nodes of a group take of parents within it. Let each be worth something; each order of
// the nodes then has its best choice of terms, and what the best order is worth is a limit that every DAG
// keeps. The worths that a solution violates most are the prices of a linear program: as few orders as
// possible, in fractions, that have all terms as often as the solution has them. Its columns are the
// orders, and the best order of the present prices comes in next, found by dynamic programming over sets.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "dagathlon/exact/acyclic_cuts.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr double least_violation = 1e-3;
constexpr double rounding = 1e-9;
// Worths are multiples of this, so that sums of them are exact.
constexpr double grain = 1.0 / (1 << 30);
// How many of each node's closest neighbours a group is grown from.
constexpr std::size_t partners = 4;
constexpr std::size_t least_group = 5;
constexpr std::size_t most_pivots = 2000;

using Matrix = std::vector<std::vector<double>>;

// How much a node of a group, by its place, has of a set within it, by bits.
struct Term {
  std::size_t place;
  std::size_t inside;
  double value;
};

// The best orders of all sets of a group, for what terms are worth.
class Orders {
 public:
  Orders(std::size_t size, const std::vector<Term>& terms)
      : size_(size),
        terms_(terms),
        gains_(size, std::vector<double>(std::size_t{1} << size)),
        heights_(std::size_t{1} << size) {}

  // What each set is worth in its best order.
  const std::vector<double>& weigh(const std::vector<double>& worth) {
    for (auto& own : gains_) std::ranges::fill(own, 0.0);
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      double& gain = gains_[terms_[t].place][terms_[t].inside];
      gain = std::max(gain, worth[t]);
    }
    for (std::size_t i = 0; i < size_; ++i) spread(gains_[i], i);
    for (std::size_t set = 1; set < heights_.size(); ++set) heights_[set] = highest(set);
    return heights_;
  }

  // The terms of the best order of all: the dearest that each node can have there.
  std::vector<std::size_t> chosen(const std::vector<double>& worth) const {
    std::vector<std::size_t> result;
    for (std::size_t set = heights_.size() - 1; set != 0;) {
      const std::size_t i = last(set);
      set &= ~(std::size_t{1} << i);
      for (std::size_t t = 0; t < terms_.size(); ++t)
        if (terms_[t].place == i && (terms_[t].inside & ~set) == 0 && worth[t] > 0 && worth[t] >= gains_[i][set]) {
          result.push_back(t);
          break;
        }
    }
    return result;
  }

 private:
  double with_last(std::size_t set, std::size_t node) const {
    const std::size_t rest = set ^ std::size_t{1} << node;
    return heights_[rest] + gains_[node][rest];
  }

  double highest(std::size_t set) const {
    double result = 0;
    for (std::size_t rest = set; rest != 0; rest &= rest - 1)
      result = std::max(result, with_last(set, static_cast<std::size_t>(std::countr_zero(rest))));
    return result;
  }

  // The last node of a set in its best order.
  std::size_t last(std::size_t set) const {
    std::size_t rest = set;
    while (with_last(set, static_cast<std::size_t>(std::countr_zero(rest))) < heights_[set]) rest &= rest - 1;
    return static_cast<std::size_t>(std::countr_zero(rest));
  }

  // A node that stands above a set can have the terms of its subsets.
  void spread(std::vector<double>& gain, std::size_t node) const {
    for (std::size_t x = 0; x < size_; ++x) {
      if (x == node) continue;
      const std::size_t bit = std::size_t{1} << x;
      for (std::size_t start = 0; start < gain.size(); start += 2 * bit) {
        const double* without = gain.data() + start;
        double* with = gain.data() + start + bit;
        for (std::size_t k = 0; k < bit; ++k) with[k] = std::max(with[k], without[k]);
      }
    }
  }

  std::size_t size_;
  const std::vector<Term>& terms_;
  Matrix gains_;
  std::vector<double> heights_;
};

// The simplex method for the fewest orders: columns are orders, or give back what is too much of a term.
class Cover {
 public:
  explicit Cover(const std::vector<Term>& terms)
      : prices_(terms.size(), 1.0), inverse_(terms.size(), std::vector<double>(terms.size())) {
    for (std::size_t t = 0; t < terms.size(); ++t) {
      amounts_.push_back(terms[t].value);
      orders_ += terms[t].value;
      inverse_[t][t] = 1;
    }
  }

  // How many orders there are now, and what each term is worth by them.
  double orders() const { return orders_; }
  const std::vector<double>& prices() const { return prices_; }

  // Takes in a column with this much of each of these terms; false if that fails.
  bool enter(const std::vector<std::size_t>& terms, double much, double cost) {
    std::vector<double> direction(amounts_.size());
    double excess = cost;
    for (const std::size_t t : terms) {
      excess -= much * prices_[t];
      for (std::size_t r = 0; r < direction.size(); ++r) direction[r] += much * inverse_[r][t];
    }
    const std::size_t leaving = tightest(direction);
    if (leaving == no_node) return false;
    pivot(leaving, direction, excess);
    return true;
  }

 private:
  std::size_t tightest(const std::vector<double>& direction) const {
    std::size_t result = no_node;
    for (std::size_t r = 0; r < direction.size(); ++r) {
      if (direction[r] < rounding) continue;
      if (result == no_node || amounts_[r] * direction[result] < amounts_[result] * direction[r]) result = r;
    }
    return result;
  }

  void pivot(std::size_t leaving, const std::vector<double>& direction, double excess) {
    const double scale = 1 / direction[leaving];
    const double amount = amounts_[leaving] * scale;
    orders_ += amount * excess;
    std::vector<double>& own = inverse_[leaving];
    for (double& x : own) x *= scale;
    for (std::size_t t = 0; t < own.size(); ++t) prices_[t] += excess * own[t];
    for (std::size_t r = 0; r < inverse_.size(); ++r) {
      if (r == leaving || direction[r] == 0) continue;
      amounts_[r] = std::max(amounts_[r] - direction[r] * amount, 0.0);
      for (std::size_t t = 0; t < own.size(); ++t) inverse_[r][t] -= direction[r] * own[t];
    }
    amounts_[leaving] = amount;
  }

  double orders_ = 0;
  std::vector<double> amounts_;
  std::vector<double> prices_;
  Matrix inverse_;
};

// Prices of the fewest orders; none if one order is enough.
std::vector<double> dearest(const std::vector<Term>& terms, Orders& orders) {
  Cover cover(terms);
  for (std::size_t k = 0; k < most_pivots; ++k) {
    pulse::beat();
    if (cover.orders() < 1 + least_violation) return {};
    const std::vector<double>& worth = cover.prices();
    const auto lowest = std::ranges::min_element(worth);
    if (*lowest < -rounding) {
      if (!cover.enter({static_cast<std::size_t>(lowest - worth.begin())}, -1, 0)) break;
    } else {
      if (orders.weigh(worth).back() < 1 + rounding) break;
      if (!cover.enter(orders.chosen(worth), 1, 1)) break;
    }
  }
  std::vector<double> result = cover.prices();
  for (double& worth : result) worth = std::max(std::round(worth / grain) * grain, 0.0);
  return result;
}

std::vector<Term> terms_of(const std::vector<std::size_t>& group, const std::vector<std::vector<Share>>& shares) {
  std::map<std::pair<std::size_t, std::size_t>, double> found;
  for (std::size_t i = 0; i < group.size(); ++i)
    for (const Share& share : shares[group[i]]) {
      std::size_t inside = 0;
      for (const std::size_t x : share.parents) {
        const auto place = std::ranges::lower_bound(group, x);
        if (place != group.end() && *place == x) inside |= std::size_t{1} << (place - group.begin());
      }
      if (inside != 0) found[{i, inside}] += share.value;
    }
  std::vector<Term> result;
  for (const auto& [key, value] : found) result.push_back({key.first, key.second, value});
  return result;
}

// Groups of nodes that are linked by much that is undecided.
class Neighbours {
 public:
  explicit Neighbours(const std::vector<std::vector<Share>>& shares)
      : links_(shares.size(), std::vector<double>(shares.size())) {
    for (std::size_t child = 0; child < shares.size(); ++child)
      for (const Share& share : shares[child])
        for (const std::size_t x : share.parents) {
          const double weight = std::min(share.value, 1 - share.value) + 0.01;
          links_[x][child] += weight;
          links_[child][x] += weight;
        }
  }

  std::vector<std::size_t> closest(std::size_t node) const {
    std::vector<std::size_t> result;
    for (std::size_t x = 0; x < links_.size(); ++x)
      if (links_[node][x] > 0) result.push_back(x);
    std::ranges::stable_sort(result, std::greater{}, [&](std::size_t x) { return links_[node][x]; });
    if (result.size() > partners) result.resize(partners);
    return result;
  }

  // With the node that is linked most, until there are enough or none is left.
  std::vector<std::size_t> grown(std::vector<std::size_t> group, std::size_t size) const {
    std::vector<double> weights(links_.size());
    for (const std::size_t x : group) add(x, weights);
    while (group.size() < size) {
      for (const std::size_t x : group) weights[x] = 0;
      const auto next = std::ranges::max_element(weights);
      if (*next <= 0) break;
      group.push_back(static_cast<std::size_t>(next - weights.begin()));
      add(group.back(), weights);
    }
    std::ranges::sort(group);
    return group;
  }

 private:
  void add(std::size_t node, std::vector<double>& weights) const {
    for (std::size_t x = 0; x < weights.size(); ++x) weights[x] += links_[node][x];
  }

  Matrix links_;
};

std::set<std::vector<std::size_t>> groups_of(const std::vector<std::vector<Share>>& shares, std::size_t size) {
  const Neighbours neighbours(shares);
  std::set<std::vector<std::size_t>> result;
  for (std::size_t node = 0; node < shares.size(); ++node) {
    if (shares[node].size() < 2) continue;
    result.insert(neighbours.grown({node}, size));
    for (const std::size_t x : neighbours.closest(node)) result.insert(neighbours.grown({node, x}, size));
  }
  std::erase_if(result, [](const auto& group) { return group.size() < least_group; });
  return result;
}

}  // namespace

std::vector<Violated> violated_hulls(std::size_t nodes, std::span<const Share> shares, std::size_t size,
                                     std::size_t most) {
  std::vector<std::vector<Share>> of_node(nodes);
  for (const Share& share : shares) of_node[share.child].push_back(share);
  std::vector<Violated> result;
  for (const std::vector<std::size_t>& group : groups_of(of_node, size)) {
    const std::vector<Term> terms = terms_of(group, of_node);
    Orders orders(group.size(), terms);
    const std::vector<double> worth = dearest(terms, orders);
    if (worth.empty()) continue;
    const std::vector<double>& heights = orders.weigh(worth);
    double above = -heights.back();
    for (std::size_t t = 0; t < terms.size(); ++t) above += worth[t] * terms[t].value;
    if (above > least_violation / 2) result.push_back({Cut::of_heights(group, heights), above});
  }
  std::ranges::stable_sort(result, std::greater{}, &Violated::by);
  if (result.size() > most) result.resize(most);
  return result;
}

}  // namespace dagathlon
