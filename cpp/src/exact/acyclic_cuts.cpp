#include "dagathlon/exact/acyclic_cuts.hpp"

#include <algorithm>
#include <utility>

namespace dagathlon {

Cut Cut::of_cluster(std::vector<std::size_t> nodes, std::size_t need) {
  const double most = static_cast<double>(nodes.size()) - static_cast<double>(need);
  return {std::move(nodes), need, {}, most};
}

Cut Cut::of_heights(std::vector<std::size_t> nodes, std::span<const double> heights) {
  const std::size_t n = nodes.size();
  const std::size_t sets = std::size_t{1} << n;
  // A node with parents T counts the least step that it can make above any set with T in it.
  std::vector<double> table(n << n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t bit = std::size_t{1} << i;
    for (std::size_t set = sets; set-- > 0;) {
      if (set & bit) continue;
      double least = heights[set | bit] - heights[set];
      for (std::size_t x = 0; x < n; ++x)
        if (x != i && !(set >> x & 1)) least = std::min(least, table[i << n | set | std::size_t{1} << x]);
      table[i << n | set] = least;
    }
  }
  return {std::move(nodes), 0, std::move(table), heights[sets - 1]};
}

std::vector<std::vector<std::size_t>> linked_groups(std::size_t nodes, std::span<const Share> shares) {
  ParentSets sets(nodes);
  for (const Share& share : shares) sets[share.child].push_back({share.value, share.parents});
  return components(sets);
}

}  // namespace dagathlon
