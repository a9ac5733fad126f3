#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "dagathlon/constraint/pc.hpp"
#include "dagathlon/graph/nodes.hpp"
#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// The inverse of the correlations of some variables, scaled to a diagonal of ones; nothing when they
// are collinear. Conditioning in it is leaving out in the correlations.
std::optional<SymmetricMatrix> scaled_inverse(const SymmetricMatrix& correlation, const NodeVector& nodes) {
  const std::size_t n = nodes.size();
  std::vector<double> factor(n * n);
  const auto entry = [&](std::size_t i, std::size_t j) {
    if (i == j) pulse::beat(i * i);
    return correlation(nodes[i], nodes[j]);
  };
  if (!cholesky::factorise(factor, n, entry, cholesky::RefuseBelow{collinear_share})) return std::nullopt;
  // Rows of the inverse of the factor, transposed so that each is contiguous.
  std::vector<double> inverse(n * n);
  for (std::size_t c = 0; c < n; ++c) {
    pulse::beat(n * n);
    inverse[c * n + c] = 1.0 / factor[c * n + c];
    for (std::size_t i = c + 1; i < n; ++i) {
      double sum = 0;
      for (std::size_t l = c; l < i; ++l) sum -= factor[i * n + l] * inverse[c * n + l];
      inverse[c * n + i] = sum / factor[i * n + i];
    }
  }
  SymmetricMatrix result(n);
  for (std::size_t a = 0; a < n; ++a) {
    pulse::beat(n * n);
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t l = a; l < n; ++l) sum += inverse[a * n + l] * inverse[b * n + l];
      result.set(a, b, sum);
    }
  }
  std::vector<double> scale(n);
  for (std::size_t a = 0; a < n; ++a) scale[a] = 1.0 / std::sqrt(result(a, a));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b <= a; ++b) result.set(a, b, a == b ? 1.0 : result(a, b) * scale[a] * scale[b]);
  return result;
}

// All pairs adjacent, none separated.
Skeleton complete_skeleton(std::size_t n) {
  Skeleton skeleton{BitMatrix(n), SeparatingSets(n), {}};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j) skeleton.adjacent.set(i, j);
  return skeleton;
}

NodeVector members(const BitSet& set) {
  NodeVector nodes;
  for_each(set, [&](std::size_t node) { nodes.push_back(node); });
  return nodes;
}

// A node and its neighbours, in order; the others of a pair, by their places among them.
struct Local {
  NodeVector nodes;
  NodeVector others;

  Local(ConstRow neighbours, std::size_t x, std::size_t n) {
    BitSet all(n, neighbours);
    all.set(x);
    nodes = members(all);
  }

  std::size_t place(std::size_t x) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(nodes, x) - nodes.begin());
  }
  void keep_others(std::size_t own, std::size_t place) {
    others.clear();
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (k != own && k != place) others.push_back(k);
  }
  NodeVector at(Nodes places) const {
    NodeVector result;
    for (const std::size_t k : places) result.push_back(nodes[k]);
    return result;
  }
  NodeVector without(Nodes subset) const {
    NodeVector result;
    for (const std::size_t k : others)
      if (std::ranges::find(subset, k) == subset.end()) result.push_back(nodes[k]);
    return result;
  }
};

class DualSearch {
 public:
  DualSearch(GaussianTest& test, const DualPcOptions& options)
      : test_(test), options_(options), direct_(test.correlation()), result_(complete_skeleton(test.size())) {}

  Skeleton run() {
    for (std::size_t order = 0; order <= options_.max_order; ++order) {
      const std::size_t before = test_.calls();
      frozen_ = result_.adjacent;
      bool enough = false;
      for (std::size_t x = 0; x < test_.size(); ++x) {
        pulse::progress(x, test_.size());
        enough = search_from(x, order) || enough;
      }
      if (!enough) break;
      result_.tests.push_back(test_.calls() - before);
    }
    return std::move(result_);
  }

 private:
  // Tries the neighbours of x as separating sets for x and each of them.
  bool search_from(std::size_t x, std::size_t order) {
    // At order 0 all have the same neighbours, and one inverse serves them all.
    if (order > 0 || x == 0) local_.emplace(frozen_[x], x, test_.size());
    if (local_->nodes.size() < order + 2) return false;
    if (order > 0 || x == 0) invert_local(order);
    const std::size_t own = local_->place(x);
    for (std::size_t place = 0; place < local_->nodes.size(); ++place)
      if (place != own && (order > 0 || own < place) && result_.adjacent.test(x, local_->nodes[place]))
        try_pair(own, place, order);
    return true;
  }

  void invert_local(std::size_t order) {
    const std::size_t dual_size = local_->nodes.size() - 2 - order;
    dual_matrix_.reset();
    if (test_.rows() < dual_size + 3 + options_.min_rows) return;
    dual_matrix_ = scaled_inverse(test_.correlation(), local_->nodes);
  }

  void try_pair(std::size_t own, std::size_t place, std::size_t order) {
    local_->keep_others(own, place);
    any_subset({local_->others, order, {}}, [&](Nodes subset) { return try_set(own, place, subset); });
  }

  // Whether the set or its complement separates.
  bool try_set(std::size_t own, std::size_t place, Nodes subset) {
    const std::size_t x = local_->nodes[own], y = local_->nodes[place];
    const NodeVector set = local_->at(subset);
    const bool by_set = test_.passes(direct_(x, y, set), set.size(), options_.alpha);
    if (!by_set && !by_complement(own, place, subset)) return false;
    result_.adjacent.reset(x, y);
    result_.adjacent.reset(y, x);
    if (by_set) result_.separating.put(x, y, set);
    else if (subset.empty() && local_->nodes.size() == test_.size()) result_.separating.put_all_others(x, y);
    else result_.separating.put(x, y, local_->without(subset));
    return true;
  }

  bool by_complement(std::size_t own, std::size_t place, Nodes subset) {
    if (!dual_matrix_) return false;
    const std::size_t size = local_->others.size() - subset.size();
    return test_.passes(PartialCorrelations(*dual_matrix_)(own, place, subset), size, options_.alpha);
  }

  GaussianTest& test_;
  const DualPcOptions& options_;
  PartialCorrelations direct_;
  Skeleton result_;
  BitMatrix frozen_;
  // The node whose turn it is and its neighbours.
  std::optional<Local> local_;
  std::optional<SymmetricMatrix> dual_matrix_;
};

// The search as the authors' program makes it: each edge is visited from both ends, and of two visits that separate,
// that from the lower node counts; what is stored is always the complement.
class ProgramSearch {
 public:
  ProgramSearch(GaussianTest& test, const DualPcOptions& options)
      : test_(test), options_(options), direct_(test.correlation()), result_(complete_skeleton(test.size())) {}

  Skeleton run() {
    counted([&] { marginal_level(); });
    bool more = any(result_.adjacent.words());
    for (std::size_t order = 1; more && order <= options_.max_order; ++order) {
      frozen_ = result_.adjacent;
      more = false;
      counted([&] {
        for (std::size_t turn = 0; turn < test_.size(); ++turn) {
          pulse::progress(turn, test_.size());
          // From the last node on: what a lower node finds is written over it.
          more = visit_from(test_.size() - 1 - turn, order) || more;
        }
      });
      more = more && any(result_.adjacent.words());
    }
    return std::move(result_);
  }

 private:
  template <class Level>
  void counted(Level&& level) {
    const std::size_t before = test_.calls();
    level();
    result_.tests.push_back(test_.calls() - before);
  }

  bool enough_rows(std::size_t given) const { return test_.rows() >= given + 3 + options_.min_rows; }

  void remove(std::size_t x, std::size_t y) {
    result_.adjacent.reset(x, y);
    result_.adjacent.reset(y, x);
  }

  // Pairs alone, and given all others.
  void marginal_level() {
    const std::size_t n = test_.size();
    std::optional<SymmetricMatrix> inverse;
    if (n > 2 && enough_rows(n - 2))
      inverse = scaled_inverse(test_.correlation(), Local(result_.adjacent[0], 0, n).nodes);
    for (std::size_t x = 0; x < n; ++x)
      for (std::size_t y = x + 1; y < n; ++y) {
        const bool alone = test_.passes(direct_(x, y, {}), 0, options_.alpha);
        const bool given_all = inverse && test_.passes(PartialCorrelations(*inverse)(x, y, {}), n - 2, options_.alpha);
        if (given_all) result_.separating.put_all_others(x, y);
        else if (alone) result_.separating.put(x, y, {});
        if (given_all || alone) remove(x, y);
      }
  }

  // Whether a neighbour of x asks for another level.
  bool visit_from(std::size_t x, std::size_t order) {
    Local local(frozen_[x], x, test_.size());
    // The neighbours of x but for the other end of an edge.
    const std::size_t m = local.nodes.size() - 2;
    if (local.nodes.size() < 2 || order > m) return false;
    const std::optional<SymmetricMatrix> inverse = scaled_inverse(test_.correlation(), local.nodes);
    const std::size_t own = local.place(x);
    for (std::size_t place = 0; place < local.nodes.size(); ++place) {
      if (place == own) continue;
      local.keep_others(own, place);
      if (const auto set = separated(local, inverse, {own, place}, order)) {
        remove(x, local.nodes[place]);
        result_.separating.put(x, local.nodes[place], *set);
      }
    }
    return order + 1 < m;
  }

  struct Ends {
    std::size_t own;
    std::size_t place;
  };

  // All others of the neighbourhood first; then subsets and their complements. What separates is stored as a complement.
  std::optional<NodeVector> separated(const Local& local, const std::optional<SymmetricMatrix>& inverse, Ends ends,
                                      std::size_t order) {
    const std::size_t m = local.others.size();
    if (enough_rows(m) && by_complement(local, inverse, ends, {})) return local.without({});
    if (order == m) return std::nullopt;
    std::optional<NodeVector> found;
    any_subset({local.others, std::min(order, m - order), {}}, [&](Nodes subset) {
      const NodeVector set = local.at(subset);
      const bool by_set = 2 * order <= m && test_.passes(direct_(local.nodes[ends.own], local.nodes[ends.place], set),
                                                         order, options_.alpha);
      if (!by_set && (2 * order == m || !by_complement(local, inverse, ends, subset))) return false;
      found = local.without(subset);
      return true;
    });
    return found;
  }

  // Whether the others without a subset separate; they do not where the rows are too few to ask.
  bool by_complement(const Local& local, const std::optional<SymmetricMatrix>& inverse, Ends ends, Nodes subset) {
    const std::size_t size = local.others.size() - subset.size();
    if (test_.rows() <= size + 3) return false;
    if (inverse) return test_.passes(PartialCorrelations(*inverse)(ends.own, ends.place, subset), size, options_.alpha);
    return test_.passes(direct_(local.nodes[ends.own], local.nodes[ends.place], local.without(subset)), size,
                        options_.alpha);
  }

  GaussianTest& test_;
  const DualPcOptions& options_;
  PartialCorrelations direct_;
  Skeleton result_;
  BitMatrix frozen_;
};

}  // namespace

Skeleton find_dual_skeleton(GaussianTest& test, const DualPcOptions& options) {
  return options.as_program ? ProgramSearch(test, options).run() : DualSearch(test, options).run();
}

}  // namespace dagathlon
