#include "dagathlon/undirected/constant_ratio.hpp"

#include <cmath>
#include <numbers>

#include "dagathlon/stats/log_gamma.hpp"

namespace dagathlon {

namespace {

BitSet common_neighbours(const BitMatrix& adjacent, std::size_t i, std::size_t j) {
  BitSet common(adjacent.size(), adjacent[i]);
  intersect(common, adjacent[j]);
  return common;
}

BitMatrix without_edge(const BitMatrix& adjacent, std::size_t i, std::size_t j) {
  BitMatrix result = adjacent;
  result.reset(i, j);
  result.reset(j, i);
  return result;
}

}  // namespace

double log_pair_integral(const PairEntries& e) {
  // Given the others, the entry is normal with this precision.
  const double own = e.first - e.covariance * e.covariance / e.second;
  const double width = e.scale_own * own;
  const double slope = e.scale - e.scale_own * (e.covariance / e.second + own * e.precision);
  return 0.5 * (std::log(2 * std::numbers::pi / width) + slope * slope / width);
}

ConstantRatio::ConstantRatio(std::size_t n, double b, double scale) : b_(b), scale_(scale) {
  for (std::size_t common = 0; common < n; ++common) {
    const double freedom = b + static_cast<double>(common);
    log_ratios_.push_back(std::log(2 * std::sqrt(std::numbers::pi) / scale) + log_gamma((freedom + 1) / 2) -
                          log_gamma(freedom / 2));
  }
}

bool ConstantRatio::is_exact(const BitMatrix& adjacent, std::size_t i, std::size_t j) {
  const BitSet common = common_neighbours(adjacent, i, j);
  if (!is_complete(adjacent, common)) return false;
  return !reached(without_edge(adjacent, i, j), i, common).test(j);
}

bool ConstantRatio::keeps(const BitMatrix& adjacent, std::size_t i, std::size_t j, Stream& random) {
  if (is_exact(adjacent, i, j)) return true;
  // The ratio of two constants is that of the cores, whose nodes hang on no clique of either graph.
  const BitMatrix without = without_edge(adjacent, i, j);
  BitSet ends(adjacent.size());
  ends.set(i);
  ends.set(j);
  const Peeling peeling = peel(without, ends);
  BitSet closed(adjacent.size());
  for (const Leaf& leaf : peeling.leaves) closed.set(leaf.node);
  BitSet part = reached(without, i, closed);
  unite(part, reached(without, j, closed));
  NodeSequence core;
  for_each(part, [&](std::size_t node) { core.push_back(node); });
  BitMatrix inside(core.size());
  std::size_t first_end = 0, second_end = 0;
  for (std::size_t a = 0; a < core.size(); ++a) {
    if (core[a] == i) first_end = a;
    if (core[a] == j) second_end = a;
    for (std::size_t c = 0; c < core.size(); ++c)
      if (adjacent.test(core[a], core[c])) inside.set(a, c);
  }
  const bool born = adjacent.test(i, j);
  const double error =
      log_auxiliary(inside, first_end, second_end, random) - log_ratio(count(common_neighbours(adjacent, i, j)));
  return std::log(1 - random.uniform()) < (born ? -error : error);
}

// An estimate of the logarithm of the ratio from one draw of the graph as it is.
double ConstantRatio::log_auxiliary(const BitMatrix& core, std::size_t i, std::size_t j, Stream& random) {
  sampler_.draw(core, b_, scale_, random, auxiliary_);
  const SquareMatrix& covariance = auxiliary_.covariance;
  return log_pair_integral(
      {auxiliary_.precision(i, j), covariance(i, j), covariance(i, i), covariance(j, j), 0.0, scale_});
}

}  // namespace dagathlon
