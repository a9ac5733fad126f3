#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>

#include "dagathlon/exact/acyclic_cuts.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

using Mask = std::uint64_t;
constexpr std::size_t most_nodes = 64;
constexpr double least_violation = 1e-6;
// Smaller differences of sums of shares are rounding.
constexpr double share_rounding = 1e-9;
// Steps for each member while clusters are found, and for all of them once none was.
constexpr std::size_t quick_steps = 500;
constexpr std::size_t thorough_steps = 100'000;

struct Term {
  Mask parents;
  double value;
};

// What the nodes of a group take, with nodes numbered within it.
class Group {
 public:
  Group(const std::vector<std::size_t>& members, std::span<const Share> shares)
      : members_(members), terms_(members.size()) {
    for (const Share& share : shares) {
      const std::size_t child = place(share.child);
      if (child == no_node) continue;
      Mask parents = 0;
      for (const std::size_t x : share.parents)
        if (const std::size_t parent = place(x); parent != no_node) parents |= Mask{1} << parent;
      terms_[child].push_back({parents, share.value});
    }
  }

  std::size_t size() const { return members_.size(); }
  const std::vector<Term>& terms(std::size_t node) const { return terms_[node]; }

  std::vector<std::size_t> nodes(Mask cluster) const {
    std::vector<std::size_t> result;
    for (Mask rest = cluster; rest != 0; rest &= rest - 1)
      result.push_back(members_[static_cast<std::size_t>(std::countr_zero(rest))]);
    return result;
  }

 private:
  std::size_t place(std::size_t node) const {
    const auto found = std::ranges::lower_bound(members_, node);
    return found == members_.end() || *found != node ? no_node : static_cast<std::size_t>(found - members_.begin());
  }

  const std::vector<std::size_t>& members_;
  std::vector<std::vector<Term>> terms_;
};

// Branch and bound over the clusters with a given member: nodes are in, out or open.
class Separation {
 public:
  Separation(const Group& group, std::size_t need) : group_(group), need_(static_cast<int>(need)) {}

  // Notes ever more violated clusters with this member and none that is out.
  void search(std::size_t member, Mask out, std::size_t steps) {
    steps_ = steps;
    least_ = need_ - least_violation;
    visit(Mask{1} << member, out);
  }

  std::size_t steps_left() const { return steps_; }
  // Each with how much of its nodes has too few parents inside.
  const std::map<Mask, double>& found() const { return found_; }

 private:
  void visit(Mask in, Mask out) {
    if (steps_ == 0) return;
    --steps_;
    pulse::beat();
    const double paid = weigh(in, out);
    if (paid >= least_ - share_rounding) return;
    const std::size_t next = choose(in, out, paid);
    if (next == no_node) return;
    visit(in | Mask{1} << next, out);
    visit(in, out | Mask{1} << next);
  }

  // Without counting bits where need is 1 or 2, as it is: that takes long on old processors.
  bool are_enough(Mask parents) const {
    for (int k = 1; k < need_; ++k) parents &= parents - 1;
    return parents != 0;
  }

  // What lacks parents whatever else comes in; notes the cluster of those that are in.
  double weigh(Mask in, Mask out) {
    double paid = 0;
    double lacking = 0;
    gain_.fill(0);
    for (Mask rest = in; rest != 0; rest &= rest - 1)
      for (const Term& term : group_.terms(static_cast<std::size_t>(std::countr_zero(rest)))) {
        if (are_enough(term.parents & in)) continue;
        lacking += term.value;
        const Mask possible = term.parents & ~out;
        if (!are_enough(possible)) {
          paid += term.value;
          continue;
        }
        for (Mask x = possible & ~in; x != 0; x &= x - 1)
          gain_[static_cast<std::size_t>(std::countr_zero(x))] += term.value;
      }
    if (lacking < least_ && std::popcount(in) > need_) {
      least_ = lacking;
      found_.emplace(in, lacking);
    }
    return paid;
  }

  // The open node that is a parent of most; those that would cost too much go out.
  std::size_t choose(Mask in, Mask& out, double paid) const {
    std::size_t result = no_node;
    double most = 0;
    for (std::size_t x = 0; x < group_.size(); ++x) {
      if (gain_[x] <= 0 || ((in | out) >> x & 1)) continue;
      double cost = 0;
      double lacking = 0;
      for (const Term& term : group_.terms(x)) {
        if (!are_enough(term.parents & ~out)) cost += term.value;
        if (!are_enough(term.parents & in)) lacking += term.value;
      }
      if (paid + cost >= least_ - share_rounding) {
        out |= Mask{1} << x;
      } else if (result == no_node || gain_[x] - lacking > most) {
        most = gain_[x] - lacking;
        result = x;
      }
    }
    return result;
  }

  const Group& group_;
  int need_;
  std::size_t steps_ = 0;
  double least_ = 0;
  std::array<double, most_nodes> gain_{};
  std::map<Mask, double> found_;
};

std::vector<Violated> cuts_of(const Group& group, const Separation& separation, std::size_t need) {
  std::vector<Violated> result;
  for (const auto& [cluster, lacking] : separation.found())
    result.push_back({Cut::of_cluster(group.nodes(cluster), need), static_cast<double>(need) - lacking});
  return result;
}

std::vector<Violated> by_search(const Group& group, std::size_t need) {
  Separation separation(group, need);
  for (std::size_t x = 0; x < group.size(); ++x) separation.search(x, 0, quick_steps);
  if (need == 1 && separation.found().empty()) {
    std::size_t steps = thorough_steps;
    Mask out = 0;
    for (std::size_t x = 0; x < group.size() && steps > 0; ++x) {
      separation.search(x, out, steps);
      steps = separation.steps_left();
      out |= Mask{1} << x;
    }
  }
  return cuts_of(group, separation, need);
}

// Of a group that is too large for masks: the whole of it, and the nearest nodes of each.
std::vector<Violated> of_large_group(const std::vector<std::size_t>& group, std::span<const Share> shares,
                                     std::size_t need);

}  // namespace

std::vector<Violated> violated_clusters(const std::vector<std::size_t>& group, std::span<const Share> shares,
                                        std::size_t need, std::size_t most) {
  std::vector<Violated> result =
      group.size() > most_nodes ? of_large_group(group, shares, need) : by_search(Group(group, shares), need);
  std::ranges::stable_sort(result, std::greater{}, &Violated::by);
  if (result.size() > most) result.resize(most);
  return result;
}

namespace {

// Up to 64 nodes around one: breadth first along shares.
std::vector<std::size_t> around(std::size_t node, const std::vector<std::vector<std::size_t>>& near) {
  std::vector<std::size_t> result{node};
  for (std::size_t k = 0; k < result.size(); ++k)
    for (const std::size_t x : near[result[k]])
      if (result.size() < most_nodes && std::ranges::find(result, x) == result.end()) result.push_back(x);
  std::ranges::sort(result);
  return result;
}

std::vector<Violated> of_large_group(const std::vector<std::size_t>& group, std::span<const Share> shares,
                                     std::size_t need) {
  std::vector<std::vector<std::size_t>> near(group.back() + 1);
  double lacking = 0;
  for (const Share& share : shares) {
    if (!std::ranges::binary_search(group, share.child)) continue;
    std::size_t inside = 0;
    for (const std::size_t x : share.parents)
      if (std::ranges::binary_search(group, x)) {
        near[share.child].push_back(x);
        ++inside;
      }
    if (inside < need) lacking += share.value;
  }
  std::vector<Violated> result;
  if (lacking < static_cast<double>(need) - least_violation)
    result.push_back({Cut::of_cluster(group, need), static_cast<double>(need) - lacking});
  std::map<Cut, double> found;
  for (const std::size_t x : group) {
    const std::vector<std::size_t> members = around(x, near);
    const Group part(members, shares);
    Separation separation(part, need);
    separation.search(static_cast<std::size_t>(std::ranges::lower_bound(members, x) - members.begin()), 0, quick_steps);
    for (Violated& violated : cuts_of(part, separation, need)) found.emplace(std::move(violated.cut), violated.by);
  }
  for (const auto& [cut, by] : found) result.push_back({cut, by});
  return result;
}

}  // namespace

}  // namespace dagathlon
