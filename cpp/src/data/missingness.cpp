#include "dagathlon/data/missingness.hpp"

#include <algorithm>
#include <unordered_map>

namespace dagathlon {

std::vector<std::size_t> direct_neighbours(IndependenceTest& test, std::size_t target,
                                           std::vector<std::size_t> candidates, double alpha, std::size_t max_order) {
  for (std::size_t order = 0; order <= max_order && order < candidates.size(); ++order) {
    const std::vector<std::size_t> start = candidates;
    for (const std::size_t node : start) {
      std::vector<std::size_t> others = start;
      std::erase(others, node);
      if (test.separator(target, node, {others, order, {}}, alpha)) std::erase(candidates, node);
    }
  }
  return candidates;
}

Missingness::NodeVector Missingness::causes_of(Nodes variables) const {
  NodeVector all;
  for (const std::size_t v : variables) all.insert(all.end(), causes[v].begin(), causes[v].end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Missingness::NodeVector Missingness::closed(Nodes variables) const {
  NodeVector all(variables.begin(), variables.end());
  for (std::size_t k = 0; k < all.size(); ++k)
    for (const std::size_t cause : causes[all[k]])
      if (std::ranges::find(all, cause) == all.end()) all.push_back(cause);
  return all;
}

Missingness::NodeVector Missingness::complete_rows(Nodes variables) const {
  BitSet incomplete(rows);
  for (const std::size_t v : variables) unite(incomplete, missing[v]);
  NodeVector complete;
  for (std::size_t row = 0; row < rows; ++row)
    if (!incomplete.test(row)) complete.push_back(row);
  return complete;
}

TestResult CorrectedTest::run(std::size_t x, std::size_t y, Nodes given) {
  NodeVector family{x, y};
  family.insert(family.end(), given.begin(), given.end());
  if (gaps_.causes_of(family).empty()) return plain_.evaluate(x, y, given);
  return corrected(family);
}

double CorrectedTest::WeightedRows::effective() const {
  double sum = 0;
  double squares = 0;
  for (const double w : weights) {
    sum += w;
    squares += w * w;
  }
  return squares > 0 ? sum * sum / squares : 0.0;
}

// Given its causes a gap is independent of the gaps of other variables, so that probabilities multiply.
CorrectedTest::WeightedRows CorrectedTest::by_density_ratio(const NodeVector& family) {
  const NodeVector all = gaps_.closed(family);
  WeightedRows sample{gaps_.complete_rows(all), {}};
  sample.weights.assign(sample.rows.size(), 1.0);
  for (const std::size_t v : all) {
    if (gaps_.causes[v].empty()) continue;
    const std::vector<double>& inverse = inverse_probability(v);
    for (std::size_t k = 0; k < sample.rows.size(); ++k) sample.weights[k] *= inverse[sample.rows[k]];
  }
  return sample;
}

const std::vector<double>& CorrectedTest::inverse_probability(std::size_t variable) {
  inverse_.resize(size());
  std::vector<double>& inverse = inverse_[variable];
  if (!inverse.empty()) return inverse;
  inverse.assign(gaps_.rows, 1.0);
  const NodeVector rows = gaps_.complete_rows(gaps_.causes[variable]);
  const std::vector<std::size_t> cell = cells(gaps_.causes[variable], rows);
  struct Share {
    double observed = 0;
    double all = 0;
  };
  std::unordered_map<std::size_t, Share> shares;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    Share& share = shares[cell[k]];
    share.all += 1;
    if (!gaps_.missing[variable].test(rows[k])) share.observed += 1;
  }
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!gaps_.missing[variable].test(rows[k])) inverse[rows[k]] = shares[cell[k]].all / shares[cell[k]].observed;
  return inverse;
}

}  // namespace dagathlon
