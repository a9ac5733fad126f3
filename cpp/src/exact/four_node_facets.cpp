#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "dagathlon/exact/acyclic_cuts.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t corners = 4;
constexpr std::size_t corner_sets = 1 << corners;
constexpr double least_violation = 1e-3;
using Heights = std::array<double, corner_sets>;
using Quad = std::array<std::size_t, corners>;

// The facets of the polytope of DAGs on four nodes that are no clusters, up to the names of the nodes:
// for each set of nodes what they may count together. Found by linear programs with random aims.
constexpr std::array<Heights, 7> kinds{{
    {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 2},
    {0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 2},
    {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 2},
    {0, 0, 0, 1, 0, 1, 0, 2, 0, 1, 0, 2, 0, 2, 1, 3},
    {0, 0, 0, 1, 0, 1, 0, 2, 0, 1, 1, 2, 1, 2, 1, 3},
    {0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 2},
    {0, 0, 0, 1, 0, 1, 0, 2, 0, 1, 1, 2, 0, 1, 1, 3},
}};

// All of them under all names, by the entries of their tables.
class Facets {
 public:
  Facets() {
    std::set<Heights> found;
    for (const Heights& kind : kinds) {
      Quad names{0, 1, 2, 3};
      do found.insert(renamed(kind, names));
      while (std::ranges::next_permutation(names).found);
    }
    heights_.assign(found.begin(), found.end());
    by_entry_.assign(corners << corners, std::vector<float>(heights_.size()));
    for (std::size_t k = 0; k < heights_.size(); ++k) {
      const Cut cut = Cut::of_heights({0, 1, 2, 3}, heights_[k]);
      for (std::size_t entry = 0; entry < cut.table.size(); ++entry)
        by_entry_[entry][k] = static_cast<float>(cut.table[entry]);
      limits_.push_back(static_cast<float>(cut.most));
    }
  }

  std::size_t size() const { return heights_.size(); }
  const Heights& heights(std::size_t k) const { return heights_[k]; }
  const std::vector<float>& limits() const { return limits_; }
  const std::vector<float>& entry(std::size_t node, std::size_t parents) const {
    return by_entry_[node << corners | parents];
  }

 private:
  static Heights renamed(const Heights& kind, const Quad& names) {
    Heights result{};
    for (std::size_t set = 0; set < corner_sets; ++set) {
      std::size_t image = 0;
      for (std::size_t i = 0; i < corners; ++i)
        if (set >> i & 1) image |= std::size_t{1} << names[i];
      result[image] = kind[set];
    }
    return result;
  }

  std::vector<Heights> heights_;
  std::vector<std::vector<float>> by_entry_;
  std::vector<float> limits_;
};

// Quads of nodes that are linked by shares.
class Quads {
 public:
  Quads(const std::vector<std::size_t>& group, std::span<const Share> shares)
      : group_(group), shares_(group.size()), near_(group.size()) {
    for (const Share& share : shares) {
      const std::size_t child = place(share.child);
      if (child == no_node) continue;
      Share& own = shares_[child].emplace_back(Share{child, {}, share.value});
      for (const std::size_t x : share.parents)
        if (const std::size_t parent = place(x); parent != no_node) {
          own.parents.push_back(parent);
          near_[child].insert(parent);
          near_[parent].insert(child);
        }
    }
  }

  std::set<Quad> all() const {
    std::set<Quad> result;
    for (std::size_t a = 0; a < near_.size(); ++a) grow({a}, result);
    return result;
  }

  const std::vector<Share>& shares(std::size_t node) const { return shares_[node]; }

 private:
  std::size_t place(std::size_t node) const {
    const auto found = std::ranges::lower_bound(group_, node);
    return found == group_.end() || *found != node ? no_node : static_cast<std::size_t>(found - group_.begin());
  }

  // Larger nodes than the first that are near one that is there.
  void grow(const std::vector<std::size_t>& members, std::set<Quad>& result) const {
    if (members.size() == corners) {
      Quad quad;
      std::ranges::copy(members, quad.begin());
      std::ranges::sort(quad);
      result.insert(quad);
      return;
    }
    pulse::beat();
    std::set<std::size_t> next;
    for (const std::size_t x : members) next.insert(near_[x].upper_bound(members[0]), near_[x].end());
    for (const std::size_t x : next) {
      if (std::ranges::find(members, x) != members.end()) continue;
      std::vector<std::size_t> more = members;
      more.push_back(x);
      grow(more, result);
    }
  }

  const std::vector<std::size_t>& group_;
  std::vector<std::vector<Share>> shares_;
  std::vector<std::set<std::size_t>> near_;
};

// How much a node of a quad, by its place, has of a set within it, by bits.
struct Part {
  std::size_t place;
  std::size_t parents;
  float value;
};

// All of a quad; nothing if a node takes no parents within it, so that no facet can be violated.
std::vector<Part> parts_of(const Quads& quads, const Quad& quad) {
  std::vector<Part> result;
  for (std::size_t i = 0; i < corners; ++i) {
    float inside = 0;
    for (const Share& share : quads.shares(quad[i])) {
      std::size_t parents = 0;
      for (std::size_t k = 0; k < corners; ++k)
        if (std::ranges::find(share.parents, quad[k]) != share.parents.end()) parents |= std::size_t{1} << k;
      if (parents == 0) continue;
      result.push_back({i, parents, static_cast<float>(share.value)});
      inside += result.back().value;
    }
    if (inside < 1e-4F) return {};
  }
  return result;
}

// What each facet has above its limit on a quad.
void weigh(const Facets& facets, const std::vector<Part>& parts, std::vector<float>& above) {
  std::ranges::transform(facets.limits(), above.begin(), std::negate{});
  for (const Part& part : parts) {
    const std::vector<float>& entry = facets.entry(part.place, part.parents);
    for (std::size_t k = 0; k < above.size(); ++k) above[k] += part.value * entry[k];
  }
}

}  // namespace

std::vector<Violated> violated_facets(const std::vector<std::size_t>& group, std::span<const Share> shares,
                                      std::size_t most) {
  static const Facets facets;
  const Quads quads(group, shares);
  std::vector<float> above(facets.size());
  std::vector<Violated> result;
  for (const Quad& quad : quads.all()) {
    pulse::beat();
    const std::vector<Part> parts = parts_of(quads, quad);
    if (parts.empty()) continue;
    weigh(facets, parts, above);
    for (std::size_t k = 0; k < facets.size(); ++k) {
      if (above[k] < least_violation) continue;
      std::vector<std::size_t> nodes;
      for (const std::size_t x : quad) nodes.push_back(group[x]);
      result.push_back({Cut::of_heights(std::move(nodes), facets.heights(k)), above[k]});
    }
  }
  std::ranges::stable_sort(result, std::greater{}, &Violated::by);
  if (result.size() > most) result.resize(most);
  return result;
}

}  // namespace dagathlon
