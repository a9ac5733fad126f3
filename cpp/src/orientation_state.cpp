#include "dagathlon/orientation_state.hpp"

#include <vector>

namespace dagathlon {

void OrientationState::lock_knowledge(const BitMatrix& forbidden, const BitMatrix& required) {
  for (std::size_t a = 0; a < size(); ++a)
    for (const std::size_t b : around(a)) {
      const bool only_forward = forbidden.test(b, a) && !forbidden.test(a, b);
      if (required.test(a, b) || (only_forward && !required.test(b, a))) lock(a, b);
    }
}

void OrientationState::direct_as_claimed(const BitMatrix& claims) {
  for (std::size_t a = 0; a < size(); ++a)
    for_each(claims[a], [&](std::size_t b) {
      if (!claims.test(b, a)) direct(a, b);
      else if (!locked(a, b) && !locked(b, a)) out_.reset(a, b);
    });
}

bool OrientationState::reaches(std::size_t from, std::size_t to) const {
  BitSet seen(size());
  std::vector<std::size_t> pending{from};
  while (!pending.empty()) {
    const std::size_t node = pending.back();
    pending.pop_back();
    if (node == to) return true;
    for (const std::size_t next : around(node)) {
      if (seen.test(next) || !directed(node, next)) continue;
      seen.set(next);
      pending.push_back(next);
    }
  }
  return false;
}

MarkedGraph OrientationState::graph() const {
  MarkedGraph result(size());
  for (std::size_t a = 0; a < size(); ++a)
    for (const std::size_t b : around(a)) {
      if (b < a) continue;
      if (undirected(a, b)) result.set_undirected(a, b);
      else if (directed(a, b)) result.set_directed(a, b);
      else if (directed(b, a)) result.set_directed(b, a);
      else result.set_edge(a, Mark::arrow, b, Mark::arrow);
    }
  return result;
}

}  // namespace dagathlon
