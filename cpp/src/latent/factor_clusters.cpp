#include "dagathlon/latent/factor_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

using Set = std::vector<std::size_t>;

// Calls `visit` with every choice of `size` of the items, in lexicographic order, until it says stop.
template <class Visit>
void for_choices(const Set& items, std::size_t size, const Visit& visit) {
  if (size > items.size()) return;
  Set places(size);
  std::iota(places.begin(), places.end(), std::size_t{0});
  Set chosen(size);
  while (true) {
    pulse::beat();
    for (std::size_t i = 0; i < size; ++i) chosen[i] = items[places[i]];
    if (!visit(chosen)) return;
    std::size_t i = size;
    while (i > 0 && places[i - 1] == items.size() - size + i - 1) --i;
    if (i == 0) return;
    ++places[i - 1];
    for (std::size_t j = i; j < size; ++j) places[j] = places[j - 1] + 1;
  }
}

Set sorted(Set set) {
  std::ranges::sort(set);
  return set;
}

// Where a table of hashes with a load of three quarters would have a set; ties between clusters of
// equal size are broken by this, as in Tetrad, whose sets are walked in the order of such tables.
std::size_t hash_of(const Set& set, bool as_list) {
  std::uint32_t hash = as_list ? 1 : 0;
  for (const std::size_t member : set) {
    hash = (as_list ? 31 * hash : hash) + static_cast<std::uint32_t>(member);
  }
  return hash ^ (hash >> 16);
}

void in_table_order(std::vector<Set>& sets, bool as_list) {
  std::size_t places = 16;
  while (4 * sets.size() > 3 * places) places *= 2;
  std::ranges::stable_sort(sets, {}, [&](const Set& set) { return hash_of(set, as_list) & (places - 1); });
}

class Search {
 public:
  Search(const SampleMoments& moments, VanishingMinors& minors, const ClusterSearch& settings)
      : moments_(moments), minors_(minors), settings_(settings), all_(moments.variables) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }

  std::vector<Set> grow_and_pick() {
    std::vector<Set> grown;
    std::vector<Set> seeds = pure_seeds();
    std::unordered_set<std::uint64_t> left;
    for (const Set& seed : seeds) left.insert(set_key(seed));
    for (const Set& seed : seeds) {
      if (!left.contains(set_key(seed))) continue;
      Set cluster = grown_from(seed, left);
      for_choices(sorted(cluster), settings_.seed, [&](const Set& inside) {
        left.erase(set_key(inside));
        return true;
      });
      if (std::ranges::find(grown, cluster) == grown.end()) grown.push_back(std::move(cluster));
    }
    return largest(std::move(grown));
  }

  std::vector<Set> seed_and_grow() {
    std::vector<Set> clusters;
    std::vector<bool> used(moments_.variables);
    for_choices(all_, settings_.seed + 1, [&](const Set& set) {
      if (!touches(set, used) && pure_set(set)) add(clusters, used, extended(set, used));
      return true;
    });
    if (clusters.empty()) return clusters;
    for_choices(all_, settings_.seed, [&](const Set& seed) {
      if (!touches(seed, used) && pure_seed(seed)) add(clusters, used, seed);
      return true;
    });
    return clusters;
  }

 private:
  std::vector<Set> pure_seeds() {
    std::vector<Set> seeds;
    for_choices(all_, settings_.seed, [&](const Set& seed) {
      if (pure_seed(seed)) seeds.push_back(seed);
      return true;
    });
    in_table_order(seeds, as_lists());
    return seeds;
  }

  // Sets of five are lists in Tetrad, whose hash knows the order.
  bool as_lists() const { return settings_.seed > 3; }

  Set grown_from(const Set& seed, const std::unordered_set<std::uint64_t>& pure) {
    Set cluster = seed;
    for (const std::size_t other : all_) {
      if (std::ranges::find(cluster, other) != cluster.end()) continue;
      std::size_t sets = 0;
      std::size_t accepted = 0;
      for_choices(cluster, settings_.seed - 1, [&](const Set& inside) {
        Set with = inside;
        with.push_back(other);
        ++sets;
        accepted += pure.contains(set_key(sorted(std::move(with)))) ? 1 : 0;
        return true;
      });
      if (static_cast<double>(accepted) >= settings_.growth * static_cast<double>(sets)) cluster.push_back(other);
    }
    return cluster;
  }

  std::vector<Set> largest(std::vector<Set> grown) const {
    in_table_order(grown, as_lists());
    std::ranges::stable_sort(grown, std::greater<>{}, [](const Set& set) { return set.size(); });
    std::vector<Set> picked;
    std::vector<bool> used(moments_.variables);
    for (const Set& cluster : grown) {
      if (!touches(cluster, used)) add(picked, used, cluster);
    }
    return picked;
  }

  Set extended(const Set& set, const std::vector<bool>& used) {
    Set cluster = set;
    for (const std::size_t other : all_) {
      if (used[other] || std::ranges::find(cluster, other) != cluster.end()) continue;
      bool joins = true;
      for_choices(cluster, settings_.seed, [&](const Set& inside) {
        Set with = inside;
        with.push_back(other);
        joins = pure_set(with);
        return joins;
      });
      if (joins) cluster.push_back(other);
    }
    return cluster;
  }

  static bool touches(const Set& set, const std::vector<bool>& used) {
    return std::ranges::any_of(set, [&](std::size_t member) { return used[member]; });
  }

  static void add(std::vector<Set>& clusters, std::vector<bool>& used, const Set& cluster) {
    for (const std::size_t member : cluster) used[member] = true;
    clusters.push_back(cluster);
  }

  bool loose(const Set& set, std::size_t most) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (std::size_t j = i + 1; j < set.size(); ++j) {
        found += std::abs(moments_.r(set[i], set[j])) < settings_.least_correlation ? 1 : 0;
      }
    }
    return found >= most;
  }

  // Whether the minors of the set with any one other variable vanish.
  bool pure_seed(const Set& seed) {
    if (loose(seed, settings_.loose_in_seed)) return false;
    return vanish_with_others(seed, seed);
  }

  // Whether its own minors vanish, and those with any one member replaced by any other variable.
  bool pure_set(const Set& set) {
    if (loose(set, settings_.loose_in_set) || !minors_.vanish(set)) return false;
    Set kept(set.size() - 1);
    for (std::size_t left_out = 0; left_out < set.size(); ++left_out) {
      for (std::size_t i = 0, to = 0; i < set.size(); ++i) {
        if (i != left_out) kept[to++] = set[i];
      }
      if (!vanish_with_others(kept, set)) return false;
    }
    return true;
  }

  bool vanish_with_others(const Set& kept, const Set& set) {
    Set with = kept;
    with.push_back(0);
    for (const std::size_t other : all_) {
      if (std::ranges::find(set, other) != set.end()) continue;
      with.back() = other;
      if (!minors_.vanish(with)) return false;
    }
    return true;
  }

  const SampleMoments& moments_;
  VanishingMinors& minors_;
  const ClusterSearch& settings_;
  Set all_;
};

}  // namespace

std::vector<std::vector<std::size_t>> factor_clusters(const SampleMoments& moments, VanishingMinors& minors,
                                                      const ClusterSearch& settings) {
  Search search(moments, minors, settings);
  return settings.pick ? search.grow_and_pick() : search.seed_and_grow();
}

}  // namespace dagathlon
