#include "dagathlon/graph/attachment.hpp"

#include <bit>
#include <cmath>

namespace dagathlon {

namespace {

// Weights of places under a binary tree of their sums: changing and drawing take logarithmic time.
// A sum is always that of its two parts, so that taking a large weight away uncovers the small ones.
class WeightTree {
 public:
  explicit WeightTree(std::size_t n) : leaves_(std::bit_ceil(n)), sums_(2 * leaves_) {}

  void set(std::size_t place, double weight) {
    std::size_t k = leaves_ + place;
    sums_[k] = weight;
    while (k /= 2) sums_[k] = sums_[2 * k] + sums_[2 * k + 1];
  }

  // The place where the running sum passes `share` of the total, which is positive.
  std::size_t find(double share) const {
    double left = share * sums_[1];
    std::size_t k = 1;
    while (k < leaves_) {
      k *= 2;
      // Never into a part without weight, whatever the rounding.
      if (left >= sums_[k] && sums_[k + 1] > 0) left -= sums_[k++];
    }
    return k - leaves_;
  }

 private:
  std::size_t leaves_;
  std::vector<double> sums_;
};

}  // namespace

std::vector<std::array<std::size_t, 2>> grow_by_attachment(std::span<const std::size_t> counts, double power,
                                                           bool own_edges_attract, Stream& stream) {
  const std::size_t n = counts.size();
  std::vector<std::array<std::size_t, 2>> edges;
  std::vector<std::size_t> degrees(n);
  WeightTree tree(n);
  for (std::size_t node = 0; node < n; ++node) {
    const std::size_t first = edges.size();
    for (std::size_t drawn = 0; drawn < counts[node]; ++drawn) {
      const std::size_t place = tree.find(stream.uniform());
      tree.set(place, 0);
      edges.push_back({node, place});
    }
    for (std::size_t k = first; k < edges.size(); ++k) ++degrees[edges[k][1]];
    if (own_edges_attract) degrees[node] = counts[node];
    const auto renew = [&](std::size_t i) { tree.set(i, std::pow(static_cast<double>(degrees[i]), power) + 1); };
    for (std::size_t k = first; k < edges.size(); ++k) renew(edges[k][1]);
    renew(node);
  }
  return edges;
}

}  // namespace dagathlon
