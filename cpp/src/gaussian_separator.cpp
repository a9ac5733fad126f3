// Searches over sets with partial correlations, for one that separates or for the weakest association: subsets are
// visited as a tree, and what conditioning on a branch leaves of every candidate is kept, so that a leaf costs a few
// operations however large the sets are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dagathlon/gaussian_test.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

// What is left of x and y after conditioning.
struct Pair {
  double xx;
  double yy;
  double xy;
};

// For every candidate its covariance with x and y, its variance, and its coefficient on the last variable of the
// branch, all after conditioning on the branch.
struct Branch {
  double* with_x;
  double* with_y;
  double* own;
  double* coefficient;
};

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
  Branch branch(std::size_t depth) {
    double* start = test_.levels_.data() + depth * 4 * stride_;
    return {start, start + stride_, start + 2 * stride_, start + 3 * stride_};
  }

  // The buffer is the test's: most searches end soon after they began.
  void prepare() {
    test_.levels_.resize(std::max(test_.levels_.size(), (search_.size + 1) * 4 * stride_));
    places_.resize(search_.size);
    pair_.assign(1, start_);
    Branch root = branch(0);
    for (std::size_t c = 0; c < stride_; ++c) {
      const std::size_t node = search_.candidates[c];
      root.with_x[c] = with_x_[node];
      root.with_y[c] = with_y_[node];
      root.own[c] = test_.own_[node];
    }
  }

  // Sets of one variable need no tree, and nothing of the candidates behind the first that separates.
  bool found_single() {
    for (std::size_t c = 0; c < end_at(0); ++c) {
      const std::size_t node = search_.candidates[c];
      if (!search_.tried.empty() && test(search_.tried, node)) continue;
      if (!leaf(after(start_, test_.own_[node], with_x_[node], with_y_[node]))) continue;
      places_.assign(1, c);
      return true;
    }
    return false;
  }

  bool leaf(const Pair& p) {
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
  static Pair after(const Pair& p, double own, double with_x, double with_y) {
    if (!(own > collinear_share)) return p;
    // Most have the variance 1, and a division takes as long as all the rest.
    const double inverse = own == 1.0 ? 1.0 : 1.0 / own;
    const double on_x = with_x * inverse;
    return {p.xx - with_x * on_x, p.yy - with_y * with_y * inverse, p.xy - with_y * on_x};
  }
  static Pair after(const Pair& p, const Branch& b, std::size_t c) {
    return after(p, b.own[c], b.with_x[c], b.with_y[c]);
  }

  // `outside`: how many of the chosen are not in the set that was tried.
  bool descend(std::size_t depth, std::size_t from, std::size_t outside) {
    const bool last = depth + 1 == search_.size;
    for (std::size_t c = from; c < end_at(depth); ++c) {
      const std::size_t out = outside + (!search_.tried.empty() && !test(search_.tried, search_.candidates[c]));
      places_[depth] = c;
      if (last) {
        if (out > 0 && leaf(after(pair_[depth], branch(depth), c))) return true;
        continue;
      }
      pulse::beat();
      condition(depth, c);
      if (descend(depth + 1, c + 1, out)) return true;
      pair_.pop_back();
    }
    return false;
  }

  void condition(std::size_t depth, std::size_t chosen) {
    const Branch now = branch(depth);
    const Branch next = branch(depth + 1);
    pair_.push_back(after(pair_[depth], now, chosen));
    const bool adds = now.own[chosen] > collinear_share;
    const double scale = adds ? 1.0 / std::sqrt(now.own[chosen]) : 0.0;
    const double on_x = now.with_x[chosen] * scale;
    const double on_y = now.with_y[chosen] * scale;
    const double* row = test_.correlation_.row(search_.candidates[chosen]);
    for (std::size_t c = chosen + 1; c < stride_; ++c) {
      double covariance = row[search_.candidates[c]];
      for (std::size_t d = 1; d <= depth; ++d) covariance -= branch(d).coefficient[chosen] * branch(d).coefficient[c];
      const double coefficient = covariance * scale;
      next.coefficient[c] = coefficient;
      next.with_x[c] = now.with_x[c] - coefficient * on_x;
      next.with_y[c] = now.with_y[c] - coefficient * on_y;
      next.own[c] = now.own[c] - coefficient * coefficient;
    }
  }

  static bool test(ConstRow row, std::size_t node) { return dagathlon::test(row, node); }

  GaussianTest& test_;
  const SubsetSearch& search_;
  Goal goal_;
  double critical_;
  // The lowest squared correlation so far.
  double lowest_ = std::numeric_limits<double>::infinity();
  std::size_t stride_;
  const double* with_x_;
  const double* with_y_;
  Pair start_;
  std::vector<std::size_t> places_;
  std::vector<Pair> pair_;
};

std::optional<std::vector<std::size_t>> GaussianTest::separator(std::size_t x, std::size_t y,
                                                                const SubsetSearch& search, double alpha) {
  if (search.size > search.candidates.size()) return std::nullopt;
  pulse::beat();
  SubsetTree tree(*this, x, y, search, alpha, Goal::separate);
  if (!tree.found()) return std::nullopt;
  return tree.result();
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
