// Parts of a tree joined to one again, all ways equally likely.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// Calls link(a, b), one time less than there are parts, for members of two parts. A tree over the parts is drawn
// by its Prüfer code, in which a part counts as often as it has members; each link then ends at random members of
// its parts (Thomas and Green 2009).
template <class Link>
void join_at_random(const std::vector<std::vector<std::size_t>>& parts, Stream& random, Link&& link) {
  const std::size_t n = parts.size();
  if (n < 2) return;
  std::vector<std::size_t> home;
  for (std::size_t p = 0; p < n; ++p) home.insert(home.end(), parts[p].size(), p);
  std::vector<std::size_t> code(n - 2), degree(n, 1);
  for (std::size_t& entry : code) ++degree[entry = home[random.below(home.size())]];
  const auto join = [&](std::size_t p, std::size_t q) {
    const std::size_t second = parts[q][random.below(parts[q].size())];
    const std::size_t first = parts[p][random.below(parts[p].size())];
    link(first, second);
  };
  // The smallest leaf comes first; one that lies behind the scan is the next one at once.
  std::size_t scan = 0;
  const auto next_leaf = [&] {
    while (degree[scan] != 1) ++scan;
    return scan;
  };
  std::size_t leaf = next_leaf();
  for (const std::size_t p : code) {
    join(leaf, p);
    degree[leaf] = 0;
    leaf = --degree[p] == 1 && p < scan ? p : next_leaf();
  }
  // The largest part is never a leaf before the last.
  join(leaf, n - 1);
}

}  // namespace dagathlon
