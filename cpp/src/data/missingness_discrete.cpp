#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dagathlon/data/missingness.hpp"
#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

constexpr double rows_per_df = 10;

}  // namespace

TestResult CorrectedDiscreteTest::corrected(const NodeVector& family) {
  double df = static_cast<double>((arities_[family[0]] - 1) * (arities_[family[1]] - 1));
  for (std::size_t k = 2; k < family.size(); ++k) df *= static_cast<double>(arities_[family[k]]);
  if (!(df > 0)) return {0.0, 0.0, 1.0, false};
  const WeightedRows sample = correction_ == Correction::permutation ? by_causes(family) : by_density_ratio(family);
  if (sample.rows.empty()) return {0.0, df, 1.0, false};
  if (sample.effective() < rows_per_df * df) return {0.0, df, 1.0};
  const double statistic = g_square(family, sample);
  return {statistic, df, chi_square_tail(statistic, df)};
}

std::vector<std::size_t> CorrectedDiscreteTest::cells(const NodeVector& variables, const NodeVector& rows) const {
  std::vector<std::size_t> result(rows.size(), 0);
  for (const std::size_t v : variables) {
    // Cells are numbered as they come, so that many variables do not overflow their number.
    std::unordered_map<std::size_t, std::size_t> number;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::size_t cell = result[k] * arities_[v] + codes_[v][rows[k]];
      result[k] = number.try_emplace(cell, number.size()).first->second;
    }
  }
  return result;
}

// Complete rows weighted so that the causes of the gaps have the distribution of all their rows.
CorrectedTest::WeightedRows CorrectedDiscreteTest::by_causes(const NodeVector& variables, std::size_t depth) const {
  const NodeVector causes = gaps_.causes_of(variables);
  if (causes.empty() || depth == longest_chain_of_causes) {
    WeightedRows plain{gaps_.complete_rows(variables), {}};
    plain.weights.assign(plain.rows.size(), 1.0);
    return plain;
  }
  const WeightedRows all = by_causes(causes, depth + 1);
  NodeVector family = variables;
  family.insert(family.end(), causes.begin(), causes.end());
  WeightedRows sample{gaps_.complete_rows(family), {}};
  NodeVector both = all.rows;
  both.insert(both.end(), sample.rows.begin(), sample.rows.end());
  const std::vector<std::size_t> cell = cells(causes, both);
  std::vector<double> wanted(both.size());
  std::vector<double> found(both.size());
  for (std::size_t k = 0; k < all.rows.size(); ++k) wanted[cell[k]] += all.weights[k];
  for (std::size_t k = all.rows.size(); k < both.size(); ++k) found[cell[k]] += 1;
  for (std::size_t k = all.rows.size(); k < both.size(); ++k)
    sample.weights.push_back(wanted[cell[k]] / found[cell[k]]);
  return sample;
}

// Of weighted counts, scaled to the effective number of rows.
double CorrectedDiscreteTest::g_square(const NodeVector& family, const WeightedRows& sample) const {
  const std::size_t x = family[0];
  const std::size_t y = family[1];
  const std::vector<std::size_t> slice = cells({family.begin() + 2, family.end()}, sample.rows);
  const std::size_t slices = *std::ranges::max_element(slice) + 1;
  const std::size_t width = arities_[x] * arities_[y];
  double total = 0;
  for (const double w : sample.weights) total += w;
  const double scale = sample.effective() / total;
  std::vector<double> table(slices * width);
  for (std::size_t k = 0; k < slice.size(); ++k)
    table[slice[k] * width + codes_[x][sample.rows[k]] * arities_[y] + codes_[y][sample.rows[k]]] +=
        sample.weights[k] * scale;
  double information = 0;
  std::vector<double> of_x(arities_[x]);
  std::vector<double> of_y(arities_[y]);
  for (std::size_t s = 0; s < slices; ++s) {
    std::ranges::fill(of_x, 0.0);
    std::ranges::fill(of_y, 0.0);
    double sum = 0;
    for (std::size_t c = 0; c < width; ++c) {
      of_x[c / arities_[y]] += table[s * width + c];
      of_y[c % arities_[y]] += table[s * width + c];
      sum += table[s * width + c];
    }
    for (std::size_t c = 0; c < width; ++c) {
      const double count = table[s * width + c];
      if (count > 0) information += count * std::log(count * sum / (of_x[c / arities_[y]] * of_y[c % arities_[y]]));
    }
  }
  return std::max(2.0 * information, 0.0);
}

}  // namespace dagathlon
