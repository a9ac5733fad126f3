#include "dagathlon/exact/dag_enumeration.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t most_nodes = DagEnumeration::max_nodes;

// A DAG on the way: nodes get their parents one after another.
struct Partial {
  std::array<Mask, most_nodes> parents{};
  // Each node with its descendants.
  std::array<Mask, most_nodes> reached{};
  double terms = 0;
  double rests = 0;
};

// Every DAG is met once, since parents that are no descendants never close a cycle, whatever follows.
template <class Leaf>
class Walk {
 public:
  Walk(const EnumeratedWeights& weights, Leaf leaf, bool weightless = false)
      : weights_(weights), leaf_(std::move(leaf)), weightless_(weightless) {}

  // The sum of what the leaf gives for each DAG; of each family too, where `shares` is.
  double operator()(double* shares = nullptr) {
    shares_ = shares;
    Partial none;
    for (std::size_t j = 0; j < weights_.nodes; ++j) none.reached[j] = Mask{1} << j;
    return weights_.nodes == 0 ? leaf_(none) : extend(0, none);
  }

 private:
  double extend(std::size_t node, const Partial& before) {
    const std::size_t n = weights_.nodes;
    const std::size_t first = node * ((std::size_t{1} << n) / 2);
    const Mask open = ((Mask{1} << n) - 1) & ~before.reached[node];
    pulse::beat();
    double total = 0;
    for (Mask set = open;; set = (set - 1) & open) {
      const std::size_t place = first + squeeze(set, node);
      if (weightless_ || weights_.terms[place] != minus_infinity) {
        const double part = with(node, set, place, before);
        total += part;
        if (shares_ != nullptr) shares_[place] += part;
      }
      if (set == 0) return total;
    }
  }

  double with(std::size_t node, Mask set, std::size_t place, const Partial& before) {
    Partial next = before;
    next.parents[node] = set;
    next.terms += weights_.terms[place];
    next.rests += weights_.rests[place];
    for (std::size_t a = 0; a < weights_.nodes; ++a)
      if ((before.reached[a] & set) != 0) next.reached[a] |= before.reached[node];
    return node + 1 == weights_.nodes ? leaf_(next) : extend(node + 1, next);
  }

  const EnumeratedWeights& weights_;
  Leaf leaf_;
  bool weightless_;
  double* shares_ = nullptr;
};

double log_weight(const EnumeratedWeights& weights, const Partial& dag) {
  return weights.shape == 0 ? dag.terms : dag.terms - weights.shape * std::log(weights.rate + dag.rests);
}

std::size_t n_arcs(const Partial& dag) {
  std::size_t count = 0;
  for (const Mask set : dag.parents) count += static_cast<std::size_t>(std::popcount(set));
  return count;
}

// The bits of the arcs into a node from each set of parents.
std::vector<std::uint64_t> arcs_into(std::size_t node, std::size_t n) {
  std::vector<std::uint64_t> result(std::size_t{1} << n, 0);
  for (Mask set = 0; set < result.size(); ++set)
    for (std::size_t i = 0; i < n; ++i)
      if (i != node && ((set >> i) & 1U) != 0)
        result[set] |= std::uint64_t{1} << (i * (n - 1) + (node > i ? node - 1 : node));
  return result;
}

class ArcBits {
 public:
  explicit ArcBits(std::size_t n) {
    for (std::size_t j = 0; j < n; ++j) into_.push_back(arcs_into(j, n));
  }
  std::uint64_t operator()(const Partial& dag) const {
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < into_.size(); ++j) bits |= into_[j][dag.parents[j]];
    return bits;
  }

 private:
  std::vector<std::vector<std::uint64_t>> into_;
};

// What equivalent DAGs have in common: joined pairs, and for each node its parents that are not joined.
struct ClassKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const ClassKey&) const = default;
};

struct ClassHash {
  std::size_t operator()(const ClassKey& key) const {
    std::uint64_t mixed = key.low * 0x9E3779B97F4A7C15U ^ (key.high + 0x632BE59BD9B4E019U) * 0xD1B54A32D192ED03U;
    mixed ^= mixed >> 29;
    return static_cast<std::size_t>(mixed * 0xBF58476D1CE4E5B9U);
  }
};

class ClassKeys {
 public:
  explicit ClassKeys(std::size_t n) : n_(n), pairs_(std::size_t{1} << n, 0), star_(n) {
    std::vector<std::vector<std::uint64_t>> pair(n, std::vector<std::uint64_t>(n, 0));
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) pair[i][j] = pair[j][i] = std::uint64_t{1} << next++;
    for (std::size_t j = 0; j < n; ++j) star_[j].resize(pairs_.size(), 0);
    for (Mask set = 0; set < pairs_.size(); ++set)
      for (std::size_t i = 0; i < n; ++i) {
        if (((set >> i) & 1U) == 0) continue;
        for (std::size_t j = 0; j < n; ++j) {
          star_[j][set] |= pair[i][j];
          if (((set >> j) & 1U) != 0) pairs_[set] |= pair[i][j];
        }
      }
  }

  ClassKey operator()(const Partial& dag) const {
    std::uint64_t joined = 0;
    for (std::size_t j = 0; j < n_; ++j) joined |= star_[j][dag.parents[j]];
    ClassKey key{joined, 0};
    // Fifteen pairs at most: three nodes beside the joined pairs, three in the other word.
    for (std::size_t j = 0; j < n_; ++j) {
      const std::uint64_t apart = pairs_[dag.parents[j]] & ~joined;
      (j < 3 ? key.low : key.high) |= apart << (j < 3 ? 15 * (j + 1) : 15 * (j - 3));
    }
    return key;
  }

 private:
  std::size_t n_;
  // Bits of the pairs within a set, and of the pairs of a node with the members of a set.
  std::vector<std::uint64_t> pairs_;
  std::vector<std::vector<std::uint64_t>> star_;
};

}  // namespace

DagEnumeration::DagEnumeration(EnumeratedWeights weights)
    : weights_(std::move(weights)), largest_(minus_infinity), best_(weights_.nodes, 0) {
  find_best();
  if (largest_ != minus_infinity) sum_up();
}

// Of equally heavy DAGs one with the fewest arcs.
void DagEnumeration::find_best() {
  std::size_t arcs = 0;
  Walk walk(weights_, [&](const Partial& dag) {
    const double found = log_weight(weights_, dag);
    if (found < largest_ || (found == largest_ && n_arcs(dag) >= arcs)) return 0.0;
    largest_ = found;
    arcs = n_arcs(dag);
    std::copy_n(dag.parents.begin(), size(), best_.begin());
    return 0.0;
  });
  walk();
}

void DagEnumeration::sum_up() {
  const std::size_t sets = std::size_t{1} << size();
  shares_.assign(size() * sets / 2, 0.0);
  descendants_.assign(size() * sets, 0.0);
  Walk walk(weights_, [&](const Partial& dag) {
    const double below = log_weight(weights_, dag) - largest_;
    const double weight = std::exp(below);
    for (std::size_t i = 0; i < size(); ++i) descendants_[i * sets + dag.reached[i]] += weight;
    if (weight > 0) mean_ += weight * below;
    return weight;
  });
  total_ = walk(shares_.data());
  mean_ /= total_;
}

double DagEnumeration::log_partition() const {
  return largest_ == minus_infinity ? minus_infinity : largest_ + std::log(total_);
}

std::vector<double> DagEnumeration::edges() const {
  const std::size_t half = (std::size_t{1} << size()) / 2;
  std::vector<double> result(size() * size());
  for (std::size_t j = 0; j < size(); ++j)
    for (Mask rank = 0; rank < half; ++rank)
      for (Mask rest = stretch(rank, j); rest != 0; rest &= rest - 1)
        result[static_cast<std::size_t>(std::countr_zero(rest)) * size() + j] += shares_[j * half + rank] / total_;
  for (double& p : result) p = std::min(p, 1.0);
  return result;
}

std::vector<double> DagEnumeration::paths() const {
  const std::size_t sets = std::size_t{1} << size();
  std::vector<double> result(size() * size());
  for (std::size_t i = 0; i < size(); ++i)
    for (Mask set = 0; set < sets; ++set)
      for (Mask rest = set & ~(Mask{1} << i); rest != 0; rest &= rest - 1)
        result[i * size() + static_cast<std::size_t>(std::countr_zero(rest))] += descendants_[i * sets + set] / total_;
  for (double& p : result) p = std::min(p, 1.0);
  return result;
}

std::vector<double> DagEnumeration::families(std::size_t child) const {
  const std::size_t half = (std::size_t{1} << size()) / 2;
  std::vector<double> result(half);
  for (std::size_t k = 0; k < half; ++k) result[k] = std::min(shares_[child * half + k] / total_, 1.0);
  return result;
}

// All draws in one walk: where each falls among the sums of weights up to every DAG.
std::vector<Mask> DagEnumeration::sample(std::size_t count, std::uint64_t seed) const {
  std::vector<std::pair<double, std::size_t>> wanted(count);
  for (std::size_t k = 0; k < count; ++k) wanted[k] = {Stream(seed, k).uniform() * total_, k};
  std::ranges::sort(wanted);
  std::vector<Mask> result(count * size());
  std::size_t next = 0;
  double passed = 0;
  std::array<Mask, most_nodes> last{};
  Walk walk(weights_, [&](const Partial& dag) {
    const double weight = std::exp(log_weight(weights_, dag) - largest_);
    if (!(weight > 0)) return 0.0;
    passed += weight;
    last = dag.parents;
    for (; next < count && wanted[next].first < passed; ++next)
      std::copy_n(last.begin(), size(), result.begin() + static_cast<std::ptrdiff_t>(wanted[next].second * size()));
    return 0.0;
  });
  walk();
  // The rounding of the sum may leave some beyond the last DAG.
  for (; next < count; ++next)
    std::copy_n(last.begin(), size(), result.begin() + static_cast<std::ptrdiff_t>(wanted[next].second * size()));
  return result;
}

DagEnumeration::Graphs DagEnumeration::dags() const {
  Graphs result;
  const ArcBits bits(size());
  Walk walk(weights_, [&](const Partial& dag) {
    const double found = log_weight(weights_, dag);
    if (found == minus_infinity) return 0.0;
    result.arcs.push_back(bits(dag));
    result.log_weights.push_back(found);
    return 0.0;
  });
  walk();
  return result;
}

// The arcs of all members together are the CPDAG, so members without a weight are met as well.
DagEnumeration::Graphs DagEnumeration::classes() const {
  struct Class {
    std::uint64_t arcs = 0;
    double weight = 0;
  };
  std::unordered_map<ClassKey, std::size_t, ClassHash> number;
  number.reserve(size() == max_nodes ? 1'100'000 : 10'000);
  std::vector<Class> found;
  const ArcBits bits(size());
  const ClassKeys keys(size());
  Walk walk(
      weights_,
      [&](const Partial& dag) {
        const std::size_t k = number.try_emplace(keys(dag), found.size()).first->second;
        if (k == found.size()) found.emplace_back();
        found[k].arcs |= bits(dag);
        found[k].weight += std::exp(log_weight(weights_, dag) - largest_);
        return 0.0;
      },
      true);
  walk();
  std::erase_if(found, [](const Class& one) { return !(one.weight > 0); });
  std::ranges::sort(found, [](const Class& a, const Class& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.arcs < b.arcs;
  });
  Graphs result;
  for (const Class& one : found) {
    result.arcs.push_back(one.arcs);
    result.log_weights.push_back(largest_ + std::log(one.weight));
  }
  return result;
}

}  // namespace dagathlon
