// Searches over sets with partial correlations, for one that separates or for the weakest association: subsets are
// visited as a tree, and what conditioning on a branch leaves of every candidate is kept, so that a leaf costs a few
// operations however large the sets are.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/test/gaussian_test.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

// Variances and covariance of x and y after conditioning.
struct PairMoments {
  double xx;
  double yy;
  double xy;
};

namespace {

// For every candidate its covariance with x and y, its variance, and its coefficient on the last variable of the
// branch, all after conditioning on the branch.
struct Branch {
  double* with_x;
  double* with_y;
  double* own;
  double* coefficient;
};

// Candidates that are looked at together, in registers: one of the widest machine, several of the others.
constexpr std::size_t lanes = 8;
using Lane = double __attribute__((vector_size(lanes * sizeof(double)), aligned(alignof(double)), may_alias));
using LaneFlags = long long __attribute__((vector_size(lanes * sizeof(long long))));

// Whether x and y, of which so much is left by candidates of which so much was left, depend on each other for sure.
inline bool all_dependent(const Lane& own, const Lane& xx, const Lane& yy, const Lane& xy, double critical) {
  const LaneFlags found =
      (own > collinear_share) & (xx > collinear_share) & (yy > collinear_share) & (xy * xy > critical * xx * yy);
  long long all = -1;
  for (std::size_t k = 0; k < lanes; ++k) all &= found[k];
  return all != 0;
}

// How many of the candidates, of lanes at a time, leave x and y dependent for sure before one that may not: each
// alone, of variables with variance 1 or, with no correlations, 0.
DAGATHLON_WIDE_CLONES std::size_t sure_singles(Nodes nodes, const double* with_x, const double* with_y,
                                               const PairMoments& p, double critical) {
  std::size_t from = 0;
  for (; from + lanes <= nodes.size(); from += lanes) {
    Lane x;
    Lane y;
    for (std::size_t k = 0; k < lanes; ++k) {
      x[k] = with_x[nodes[from + k]];
      y[k] = with_y[nodes[from + k]];
    }
    if (!all_dependent(Lane{} + 1.0, p.xx - x * x, p.yy - y * y, p.xy - y * x, critical)) break;
  }
  return from;
}

// The same with the correlations of x with the candidates side by side.
DAGATHLON_WIDE_CLONES std::size_t sure_around(const Around& around, const double* with_y, const PairMoments& p,
                                              double critical) {
  std::size_t from = 0;
  for (; from + lanes <= around.nodes.size(); from += lanes) {
    const Lane x = *reinterpret_cast<const Lane*>(around.kept.data() + from);
    Lane y;
    for (std::size_t k = 0; k < lanes; ++k) y[k] = with_y[around.nodes[from + k]];
    if (!all_dependent(Lane{} + 1.0, p.xx - x * x, p.yy - y * y, p.xy - y * x, critical)) break;
  }
  return from;
}

// The same of candidates behind a branch, by what it leaves of them.
DAGATHLON_WIDE_CLONES std::size_t sure_leaves(const Branch& b, std::size_t from, std::size_t end, const PairMoments& p,
                                              double critical) {
  for (; from + lanes <= end; from += lanes) {
    const Lane own = *reinterpret_cast<const Lane*>(b.own + from);
    const Lane x = *reinterpret_cast<const Lane*>(b.with_x + from);
    const Lane y = *reinterpret_cast<const Lane*>(b.with_y + from);
    const Lane inverse = 1.0 / own;
    const Lane on_x = x * inverse;
    if (!all_dependent(own, p.xx - x * on_x, p.yy - y * y * inverse, p.xy - y * on_x, critical)) break;
  }
  return from;
}

// Branches one after the other, each with room for all candidates.
struct Branches {
  double* start;
  std::size_t stride;
  Branch operator[](std::size_t depth) const {
    double* own = start + depth * 4 * stride;
    return {own, own + stride, own + 2 * stride, own + 3 * stride};
  }
};

// What conditioning on one more candidate, whose correlations these are, leaves of those behind it: of few, each by
// itself, of many, all step by step. The digits are the same.
void take_out_of_few(const Branches& branches, std::size_t depth, std::size_t chosen, const double* correlations,
                     const std::size_t* nodes) {
  const Branch now = branches[depth];
  const Branch next = branches[depth + 1];
  const double scale = now.own[chosen] > collinear_share ? 1.0 / std::sqrt(now.own[chosen]) : 0.0;
  const double on_x = now.with_x[chosen] * scale;
  const double on_y = now.with_y[chosen] * scale;
  for (std::size_t c = chosen + 1; c < branches.stride; ++c) {
    double covariance = correlations[nodes[c]];
    for (std::size_t d = 1; d <= depth; ++d) covariance -= branches[d].coefficient[chosen] * branches[d].coefficient[c];
    const double coefficient = covariance * scale;
    next.coefficient[c] = coefficient;
    next.with_x[c] = now.with_x[c] - coefficient * on_x;
    next.with_y[c] = now.with_y[c] - coefficient * on_y;
    next.own[c] = now.own[c] - coefficient * coefficient;
  }
}

DAGATHLON_WIDE_CLONES void take_out_of_many(const Branches& branches, std::size_t depth, std::size_t chosen,
                                            const double* correlations, const std::size_t* nodes) {
  const Branch now = branches[depth];
  const Branch next = branches[depth + 1];
  const std::size_t end = branches.stride;
  const double scale = now.own[chosen] > collinear_share ? 1.0 / std::sqrt(now.own[chosen]) : 0.0;
  const double on_x = now.with_x[chosen] * scale;
  const double on_y = now.with_y[chosen] * scale;
  double* __restrict coefficient = next.coefficient;
  for (std::size_t c = chosen + 1; c < end; ++c) coefficient[c] = correlations[nodes[c]];
  for (std::size_t d = 1; d <= depth; ++d) {
    const double* __restrict earlier = branches[d].coefficient;
    for (std::size_t c = chosen + 1; c < end; ++c) coefficient[c] -= earlier[chosen] * earlier[c];
  }
  double* __restrict with_x = next.with_x;
  double* __restrict with_y = next.with_y;
  double* __restrict own = next.own;
  for (std::size_t c = chosen + 1; c < end; ++c) {
    coefficient[c] *= scale;
    with_x[c] = now.with_x[c] - coefficient[c] * on_x;
    with_y[c] = now.with_y[c] - coefficient[c] * on_y;
    own[c] = now.own[c] - coefficient[c] * coefficient[c];
  }
}

}  // namespace

enum class Goal { separate, weakest };

class SubsetTree {
 public:
  // For the weakest association the first candidate is in all sets.
  SubsetTree(GaussianTest& test, std::size_t x, std::size_t y, const SubsetSearch& search, double alpha, Goal goal)
      : test_(test),
        search_(search),
        goal_(goal),
        critical_(test.critical_square_(search.size, alpha)),
        stride_(search.candidates.size()),
        together_(goal == Goal::separate && critical_ >= 0 && stride_ >= 2 * lanes),
        with_x_(test.correlation_.row(x)),
        with_y_(test.correlation_.row(y)),
        start_{test.own_[x], test.own_[y], with_x_[y]} {}

  // Whether a set separates, or is as weak as any that does.
  bool found() {
    if (search_.size == 0) return leaf(start_);
    if (search_.size == 1) return found_single();
    prepare();
    return descend(0, 0, search_.tried.empty() ? 1 : 0);
  }
  std::vector<std::size_t> result() const {
    std::vector<std::size_t> nodes;
    for (const std::size_t c : places_) nodes.push_back(search_.candidates[c]);
    return nodes;
  }
  // Of the squared correlations that were looked at; all were defined if nothing was found.
  double lowest() const { return lowest_; }

 private:
  Branches branches() const { return {test_.levels_.data(), stride_}; }

  // The buffer is the test's: most searches end soon after they began.
  void prepare() {
    test_.levels_.resize(std::max(test_.levels_.size(), (search_.size + 1) * 4 * stride_));
    places_.resize(search_.size);
    pair_.assign(1, start_);
    const Branch root = branches()[0];
    for (std::size_t c = 0; c < stride_; ++c) {
      const std::size_t node = search_.candidates[c];
      root.with_x[c] = with_x_[node];
      root.with_y[c] = with_y_[node];
      root.own[c] = test_.own_[node];
    }
  }

  // Sets of one variable need no tree, and nothing of the candidates behind the first that separates.
  bool found_single() {
    const Nodes candidates = search_.candidates.first(end_at(0));
    if (search_.tried.empty()) return found_among(candidates);
    std::array<std::size_t, 8 * lanes> untried;
    for (std::size_t c = 0; c < candidates.size();) {
      std::size_t size = 0;
      for (; c < candidates.size() && size < untried.size(); ++c) {
        untried[size] = candidates[c];
        size += test(search_.tried, candidates[c]) ? 0 : 1;
      }
      if (found_among(Nodes(untried).first(size))) return true;
    }
    return false;
  }

  bool found_among(Nodes nodes) {
    const bool together = together_ && test_.plain_variances_;
    for (std::size_t c = 0; c < nodes.size();) {
      // Most searches end with one of the first.
      if (together && c > 0) {
        const std::size_t sure = sure_singles(nodes.subspan(c), with_x_, with_y_, start_, critical_);
        test_.calls_ += sure;
        c += sure;
      }
      for (const std::size_t end = std::min(c + lanes, nodes.size()); c < end; ++c) {
        const std::size_t node = nodes[c];
        if (!leaf(after(start_, test_.own_[node], with_x_[node], with_y_[node]))) continue;
        const auto place = std::ranges::find(search_.candidates, node) - search_.candidates.begin();
        places_.assign(1, static_cast<std::size_t>(place));
        return true;
      }
    }
    return false;
  }

  bool leaf(const PairMoments& p) {
    ++test_.calls_;
    const bool defined = p.xx > collinear_share && p.yy > collinear_share;
    if (!defined || critical_ < 0) return unanswered();
    if (goal_ == Goal::separate) return p.xy * p.xy <= critical_ * p.xx * p.yy;
    lowest_ = std::min(lowest_, p.xy * p.xy / (p.xx * p.yy));
    return lowest_ <= critical_;
  }

  bool unanswered() {
    const bool independent = test_.unanswered();
    return independent || goal_ == Goal::weakest;
  }

  // The end of the candidates that may be chosen at a depth.
  std::size_t end_at(std::size_t depth) const {
    if (depth == 0 && goal_ == Goal::weakest) return 1;
    return stride_ - (search_.size - depth - 1);
  }

  // The pair after conditioning on one more candidate, by its variance and its covariances with x and y; one
  // that adds nothing is passed over.
  static PairMoments after(const PairMoments& p, double own, double with_x, double with_y) {
    if (!(own > collinear_share)) return p;
    // Most have the variance 1, and a division takes as long as all the rest.
    const double inverse = own == 1.0 ? 1.0 : 1.0 / own;
    const double on_x = with_x * inverse;
    return {p.xx - with_x * on_x, p.yy - with_y * with_y * inverse, p.xy - with_y * on_x};
  }
  static PairMoments after(const PairMoments& p, const Branch& b, std::size_t c) {
    return after(p, b.own[c], b.with_x[c], b.with_y[c]);
  }

  // `outside`: how many of the chosen are not in the set that was tried.
  bool descend(std::size_t depth, std::size_t from, std::size_t outside) {
    if (depth + 1 == search_.size) return any_leaf(depth, from, outside > 0);
    for (std::size_t c = from; c < end_at(depth); ++c) {
      places_[depth] = c;
      pulse::beat();
      pair_.push_back(after(pair_[depth], branches()[depth], c));
      const double* row = test_.correlation_.row(search_.candidates[c]);
      const bool many = stride_ - c > 2 * lanes;
      (many ? take_out_of_many : take_out_of_few)(branches(), depth, c, row, search_.candidates.data());
      if (descend(depth + 1, c + 1, outside + is_outside(c))) return true;
      pair_.pop_back();
    }
    return false;
  }

  // The sets with one more candidate; where none of the others is outside, with one that is.
  bool any_leaf(std::size_t depth, std::size_t from, bool outside) {
    const Branch branch = branches()[depth];
    const PairMoments& pair = pair_[depth];
    for (std::size_t c = from; c < end_at(depth);) {
      if (together_ && outside && c + lanes <= end_at(depth)) {
        const std::size_t sure = sure_leaves(branch, c, end_at(depth), pair, critical_);
        test_.calls_ += sure - c;
        c = sure;
      }
      for (const std::size_t end = std::min(c + lanes, end_at(depth)); c < end; ++c) {
        if (!(outside || is_outside(c)) || !leaf(after(pair, branch, c))) continue;
        places_[depth] = c;
        return true;
      }
    }
    return false;
  }

  bool is_outside(std::size_t c) const { return !search_.tried.empty() && !test(search_.tried, search_.candidates[c]); }

  static bool test(ConstRow row, std::size_t node) { return dagathlon::test(row, node); }

  GaussianTest& test_;
  const SubsetSearch& search_;
  Goal goal_;
  double critical_;
  // The lowest squared correlation so far.
  double lowest_ = std::numeric_limits<double>::infinity();
  std::size_t stride_;
  // Whether candidates are looked at several at a time: of few that takes longer.
  bool together_;
  const double* with_x_;
  const double* with_y_;
  PairMoments start_;
  std::vector<std::size_t> places_;
  std::vector<PairMoments> pair_;
};

std::optional<std::vector<std::size_t>> GaussianTest::separator(std::size_t x, std::size_t y,
                                                                const SubsetSearch& search, double alpha) {
  if (search.size > search.candidates.size()) return std::nullopt;
  pulse::beat();
  SubsetTree tree(*this, x, y, search, alpha, Goal::separate);
  if (!tree.found()) return std::nullopt;
  return tree.result();
}

void GaussianTest::keep(std::size_t x, std::span<const std::uint32_t> nodes, std::span<double> to) const {
  const double* with_x = correlation_.row(x);
  for (std::size_t k = 0; k < nodes.size(); ++k) to[k] = with_x[nodes[k]];
}

std::size_t GaussianTest::single_separator(std::size_t x, std::size_t y, const Around& around, ConstRow tried,
                                           double alpha) {
  pulse::beat();
  const double critical = critical_square_(1, alpha);
  const double* with_y = correlation_.row(y);
  const PairMoments start{own_[x], own_[y], with_y[x]};
  const auto asked = [&](std::size_t node) { return node != y && (tried.empty() || !dagathlon::test(tried, node)); };
  for (std::size_t c = 0; c < around.nodes.size();) {
    // y itself is never sure to leave anything: it has none of its variance left.
    const Around rest{around.nodes.subspan(c), around.kept.subspan(c)};
    const std::size_t sure = critical < 0 ? 0 : sure_around(rest, with_y, start, critical);
    if (tried.empty()) calls_ += sure;
    else
      for (std::size_t k = 0; k < sure; ++k) calls_ += asked(rest.nodes[k]) ? 1 : 0;
    c += sure;
    for (const std::size_t end = std::min(c + lanes, around.nodes.size()); c < end; ++c) {
      const std::size_t node = around.nodes[c];
      if (!asked(node)) continue;
      ++calls_;
      const double with_x = around.kept[c];
      const PairMoments left{start.xx - with_x * with_x, start.yy - with_y[node] * with_y[node],
                             start.xy - with_y[node] * with_x};
      const bool answered = critical >= 0 && left.xx > collinear_share && left.yy > collinear_share;
      if (answered ? left.xy * left.xy <= critical * left.xx * left.yy : unanswered()) return node;
    }
  }
  return no_node;
}

double GaussianTest::weakest(std::size_t x, std::size_t y, std::size_t with, const SubsetSearch& search, double alpha) {
  if (search.size > search.candidates.size()) return 0.0;
  pulse::beat();
  std::vector<std::size_t> candidates{with};
  candidates.insert(candidates.end(), search.candidates.begin(), search.candidates.end());
  const SubsetSearch all{candidates, search.size + 1, {}};
  SubsetTree tree(*this, x, y, all, alpha, Goal::weakest);
  if (tree.found()) return 1.0;
  return gaussian_result({std::sqrt(std::min(tree.lowest(), 1.0)), true}, rows_, all.size, options_).p_value;
}

}  // namespace dagathlon
