#include "dagathlon/graph/linear_extensions.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Calls visit(node) for each member.
template <class Visit>
void for_each_in(Word set, Visit&& visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<std::size_t>(std::countr_zero(set)));
}

Word bit(std::size_t node) { return Word{1} << node; }

}  // namespace

double LinearExtensions::log_count(const BitMatrix& parents) {
  const std::size_t n = parents.size();
  parents_.assign(n, 0);
  children_.assign(n, 0);
  known_.clear();
  for (std::size_t child = 0; child < n; ++child)
    for_each(parents[child], [&](std::size_t parent) {
      parents_[child] |= bit(parent);
      children_[parent] |= bit(child);
    });
  // Counts are at most 64!, far from the largest double.
  return std::log(count(n == 0 ? 0 : ~Word{0} >> (max_nodes - n)));
}

Word LinearExtensions::component(Word set) const {
  Word found = set & (0 - set), open = found;
  while (open != 0) {
    const auto node = static_cast<std::size_t>(std::countr_zero(open));
    const Word fresh = (parents_[node] | children_[node]) & set & ~found;
    found |= fresh;
    open = (open & (open - 1)) | fresh;
  }
  return found;
}

// Orders of the components are shuffled into each other in as many ways as a multinomial says.
double LinearExtensions::count(Word set) {
  double result = 1;
  int placed = 0;
  while (set != 0) {
    const Word part = component(set);
    set &= ~part;
    result *= count_component(part);
    for (int k = 1; k <= std::popcount(part); ++k) result *= static_cast<double>(++placed) / k;
  }
  return result;
}

double LinearExtensions::count_component(Word set) {
  if ((set & (set - 1)) == 0) return 1;
  if (const auto place = known_.find(set); place != known_.end()) return place->second;
  if (known_.size() >= max_sets) return std::numeric_limits<double>::quiet_NaN();
  pulse::beat();
  Word sources = 0, sinks = 0;
  for_each_in(set, [&](std::size_t node) {
    if (!(parents_[node] & set)) sources |= bit(node);
    if (!(children_[node] & set)) sinks |= bit(node);
  });
  double result = 0;
  for_each_in(std::popcount(sources) <= std::popcount(sinks) ? sources : sinks,
              [&](std::size_t node) { result += count(set & ~bit(node)); });
  known_.emplace(set, result);
  return result;
}

}  // namespace dagathlon
