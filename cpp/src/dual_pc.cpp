#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "dagathlon/pc.hpp"
#include "dagathlon/pulse.hpp"
#include "dagathlon/ties.hpp"

namespace dagathlon {

namespace {

using NodeVector = std::vector<std::size_t>;

// The inverse of the correlations of some variables, scaled to a diagonal of ones; nothing when they
// are collinear. Conditioning in it is leaving out in the correlations.
std::optional<SymmetricMatrix> scaled_inverse(const SymmetricMatrix& correlation, const NodeVector& nodes) {
  const std::size_t n = nodes.size();
  std::vector<double> factor(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    pulse::beat(i * i);
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = correlation(nodes[i], nodes[j]);
      for (std::size_t l = 0; l < j; ++l) rest -= factor[i * n + l] * factor[j * n + l];
      if (i != j) factor[i * n + j] = rest / factor[j * n + j];
      else if (rest > collinear_share) factor[i * n + i] = std::sqrt(rest);
      else return std::nullopt;
    }
  }
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

// A set that separated, and how strong the correlation was that passed for zero.
struct Separator {
  NodeVector nodes;
  double strength;
};

class DualSearch {
 public:
  DualSearch(GaussianTest& test, const DualPcOptions& options)
      : test_(test), options_(options), direct_(test.correlation()),
        result_{BitMatrix(test.size()), SeparatingSets(test.size()), {}} {
    for (std::size_t i = 0; i < test.size(); ++i)
      for (std::size_t j = 0; j < test.size(); ++j)
        if (i != j) result_.adjacent.set(i, j);
  }

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
    BitSet local(test_.size(), frozen_[x]);
    local.set(x);
    local_.clear();
    for_each(local, [&](std::size_t node) { local_.push_back(node); });
    if (local_.size() < order + 2) return false;
    // At order 0 all have the same neighbours, and one inverse serves them all.
    if (order > 0 || x == 0) invert_local(order);
    const auto own = static_cast<std::size_t>(std::ranges::lower_bound(local_, x) - local_.begin());
    for (std::size_t place = 0; place < local_.size(); ++place)
      if (place != own && (order > 0 || own < place) && result_.adjacent.test(x, local_[place]))
        try_pair(own, place, order);
    return true;
  }

  void invert_local(std::size_t order) {
    const std::size_t dual_size = local_.size() - 2 - order;
    dual_matrix_.reset();
    if (test_.rows() < dual_size + 3 + options_.min_rows) return;
    dual_matrix_ = scaled_inverse(test_.correlation(), local_);
  }

  void try_pair(std::size_t own, std::size_t place, std::size_t order) {
    places_.clear();
    for (std::size_t k = 0; k < local_.size(); ++k)
      if (k != own && k != place) places_.push_back(k);
    std::optional<Separator> found;
    any_subset({places_, order, {}}, [&](Nodes subset) { return try_set(own, place, subset, found); });
    if (!found) return;
    const std::size_t x = local_[own];
    const std::size_t y = local_[place];
    result_.adjacent.reset(x, y);
    result_.adjacent.reset(y, x);
    result_.separating.put(x, y, found->nodes);
  }

  // Whether the search for this pair is over.
  bool try_set(std::size_t own, std::size_t place, Nodes subset, std::optional<Separator>& found) {
    const NodeVector set = nodes_at(subset);
    const PartialCorrelation given_set = direct_(local_[own], local_[place], set);
    const bool by_set = test_.passes(given_set, set.size(), options_.alpha);
    if (by_set && !options_.complement_always) {
      found = {set, 0};
      return true;
    }
    const std::size_t dual_size = places_.size() - subset.size();
    const PartialCorrelation given_rest =
        dual_matrix_ ? PartialCorrelations(*dual_matrix_)(own, place, subset) : PartialCorrelation{};
    const bool by_rest = dual_matrix_ && test_.passes(given_rest, dual_size, options_.alpha);
    if (!by_set && !by_rest) return false;
    const double strength = by_set ? fisher_z(given_set, set.size()) : fisher_z(given_rest, dual_size);
    if (!found || strength <= found->strength) found = {by_rest || !set.empty() ? complement(subset) : set, strength};
    return by_set || !options_.complement_always;
  }

  // Of the correlation that passed; the same for one test that is made in two ways.
  double fisher_z(const PartialCorrelation& r, std::size_t given) const {
    const double scale = std::sqrt(std::max(static_cast<double>(test_.rows()) - static_cast<double>(given) - 3, 0.0));
    return without_rounding(scale * std::abs(std::atanh(r.value)));
  }

  NodeVector nodes_at(Nodes places) const {
    NodeVector nodes;
    for (const std::size_t k : places) nodes.push_back(local_[k]);
    return nodes;
  }

  NodeVector complement(Nodes subset) const {
    NodeVector nodes;
    for (const std::size_t k : places_)
      if (std::ranges::find(subset, k) == subset.end()) nodes.push_back(local_[k]);
    return nodes;
  }

  GaussianTest& test_;
  const DualPcOptions& options_;
  PartialCorrelations direct_;
  Skeleton result_;
  BitMatrix frozen_;
  // The node whose turn it is and its neighbours, in order, and places among them.
  NodeVector local_;
  NodeVector places_;
  std::optional<SymmetricMatrix> dual_matrix_;
};

}  // namespace

Skeleton find_dual_skeleton(GaussianTest& test, const DualPcOptions& options) {
  return DualSearch(test, options).run();
}

}  // namespace dagathlon
