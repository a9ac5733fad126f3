#include <algorithm>
#include <limits>
#include <map>

#include "dagathlon/optimal_dag.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

// A cluster that grows and shrinks while that makes its rule more violated.
class Cluster {
 public:
  Cluster(std::size_t nodes, std::span<const Share> shares) : shares_(shares), inside_(nodes), met_(shares.size()) {
    of_parent_.resize(nodes);
    of_child_.resize(nodes);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      of_child_[shares[k].child].push_back(k);
      for (const std::size_t x : shares[k].parents) of_parent_[x].push_back(k);
    }
  }

  void start(std::span<const std::size_t> nodes) {
    std::fill(inside_.begin(), inside_.end(), false);
    std::fill(met_.begin(), met_.end(), 0);
    without_parent_ = 0;
    for (const std::size_t x : nodes) toggle(x);
  }

  // How much of the nodes has no parent inside: a DAG has at least 1.
  double without_parent() const { return without_parent_; }

  std::vector<std::size_t> members() const {
    std::vector<std::size_t> result;
    for (std::size_t x = 0; x < inside_.size(); ++x)
      if (inside_[x]) result.push_back(x);
    return result;
  }

  void improve() {
    for (std::size_t step = 0; step < 2 * inside_.size(); ++step) {
      std::size_t best = no_node;
      double least = without_parent_ - 1e-9;
      for (std::size_t x = 0; x < inside_.size(); ++x) {
        if (inside_[x] && members().size() <= 2) continue;
        const double after = without_parent_ + change(x);
        if (after < least) {
          least = after;
          best = x;
        }
      }
      if (best == no_node) return;
      toggle(best);
    }
  }

  // The best node to bring in, whatever it costs.
  bool grow() {
    std::size_t best = no_node;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t x = 0; x < inside_.size(); ++x) {
      if (inside_[x]) continue;
      const double cost = change(x);
      if (cost < least) {
        least = cost;
        best = x;
      }
    }
    if (best == no_node) return false;
    toggle(best);
    return true;
  }

 private:
  // What bringing a node in, or taking it out, adds.
  double change(std::size_t x) const {
    const bool is_inside = inside_[x];
    double sum = 0;
    for (const std::size_t k : of_child_[x])
      if (met_[k] == 0) sum += is_inside ? -shares_[k].value : shares_[k].value;
    for (const std::size_t k : of_parent_[x]) {
      if (!inside_[shares_[k].child]) continue;
      if (!is_inside && met_[k] == 0) sum -= shares_[k].value;
      if (is_inside && met_[k] == 1) sum += shares_[k].value;
    }
    return sum;
  }

  void toggle(std::size_t x) {
    without_parent_ += change(x);
    for (const std::size_t k : of_parent_[x]) met_[k] += inside_[x] ? -1 : 1;
    inside_[x] = !inside_[x];
  }

  std::span<const Share> shares_;
  std::vector<bool> inside_;
  // Parents of each share that are inside.
  std::vector<int> met_;
  std::vector<std::vector<std::size_t>> of_child_;
  std::vector<std::vector<std::size_t>> of_parent_;
  double without_parent_ = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> violated_clusters(std::size_t nodes, std::span<const Share> shares,
                                                        std::size_t most) {
  Cluster cluster(nodes, shares);
  std::map<std::vector<std::size_t>, double> found;
  const auto note = [&] {
    if (cluster.without_parent() < 1 - 1e-6) found.emplace(cluster.members(), cluster.without_parent());
  };
  for (const Share& share : shares) {
    for (const std::size_t parent : share.parents) {
      pulse::beat();
      const std::vector<std::size_t> pair{std::min(share.child, parent), std::max(share.child, parent)};
      cluster.start(pair);
      note();
      for (std::size_t size = 2; size < std::min<std::size_t>(nodes, 12); ++size) {
        cluster.improve();
        note();
        if (!cluster.grow()) break;
        note();
      }
    }
  }
  std::vector<std::pair<double, std::vector<std::size_t>>> sorted;
  for (const auto& [members, rest] : found) sorted.emplace_back(rest, members);
  std::ranges::stable_sort(sorted, {}, [](const auto& entry) { return entry.first; });
  std::vector<std::vector<std::size_t>> result;
  for (auto& entry : sorted)
    if (result.size() < most) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace dagathlon
