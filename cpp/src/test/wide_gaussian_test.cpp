#include "dagathlon/test/wide_gaussian_test.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dagathlon {

WideGaussianTest::WideGaussianTest(std::span<const ValueColumn> columns, std::size_t rows, GaussianOptions options)
    : WideGaussianTest(std::make_shared<const CentredColumns>(columns, rows), options) {}

WideGaussianTest::WideGaussianTest(std::shared_ptr<const CentredColumns> columns, GaussianOptions options)
    : columns_(std::move(columns)), options_(options), critical_square_(columns_->rows(), options) {}

std::unique_ptr<IndependenceTest> WideGaussianTest::make_twin() const {
  return std::unique_ptr<IndependenceTest>(new WideGaussianTest(columns_, options_));
}

GaussianTest WideGaussianTest::among(Nodes nodes, bool with_each_other) const {
  SymmetricMatrix matrix(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    matrix.set(i, i, columns_->correlation(nodes[i], nodes[i]));
    for (std::size_t j = 0; j < (with_each_other ? i : std::min<std::size_t>(i, 2)); ++j)
      matrix.set(i, j, columns_->correlation(nodes[i], nodes[j]));
  }
  return {std::move(matrix), columns_->rows(), options_};
}

TestResult WideGaussianTest::run(std::size_t x, std::size_t y, Nodes given) {
  std::vector<std::size_t> nodes{x, y};
  std::vector<std::size_t> places;
  for (const std::size_t z : given) {
    places.push_back(z == x ? 0 : nodes.size());
    if (z != x) nodes.push_back(z);
  }
  return among(nodes, true).evaluate(0, 1, places);
}

bool WideGaussianTest::accepts(std::size_t x, std::size_t y, Nodes given, double alpha) {
  if (given.empty()) {
    const double critical = critical_square_(0, alpha);
    if (critical < 0 || !columns_->varies(x) || !columns_->varies(y)) return unanswered();
    const double r = marginal(x, y);
    return r * r <= critical;
  }
  std::vector<std::size_t> nodes{x, y};
  nodes.insert(nodes.end(), given.begin(), given.end());
  std::vector<std::size_t> places(given.size());
  std::iota(places.begin(), places.end(), std::size_t{2});
  GaussianTest test = among(nodes, true);
  const bool accepted = test.independent(0, 1, places, alpha);
  return test.undefined() > 0 ? unanswered() : accepted;
}

double WideGaussianTest::marginal(std::size_t x, std::size_t y) {
  const auto [low, high] = std::minmax(x, y);
  const std::size_t first = low / strip_height * strip_height;
  if (first != strip_first_) {
    strip_first_ = no_node;
    strip_.resize(strip_height * (size() - first));
    columns_->correlations(first, std::min(first + strip_height, size()), strip_);
    strip_first_ = first;
  }
  return strip_[(low - first) * (size() - first) + high - first];
}

std::optional<std::vector<std::size_t>> WideGaussianTest::separator(std::size_t x, std::size_t y,
                                                                    const SubsetSearch& search, double alpha) {
  if (search.size > search.candidates.size()) return std::nullopt;
  std::vector<std::size_t> nodes{x, y};
  nodes.insert(nodes.end(), search.candidates.begin(), search.candidates.end());
  std::vector<std::size_t> places(search.candidates.size());
  std::iota(places.begin(), places.end(), std::size_t{2});
  BitSet tried(nodes.size());
  for (std::size_t k = 2; k < nodes.size(); ++k)
    if (!search.tried.empty() && dagathlon::test(search.tried, nodes[k])) tried.set(k);
  GaussianTest test = among(nodes, search.size > 1);
  test.undefined_is_independent = undefined_is_independent;
  const ConstRow done = search.tried.empty() ? ConstRow() : ConstRow(tried);
  auto found = test.separator(0, 1, {places, search.size, done}, alpha);
  adopt(test);
  if (found)
    for (std::size_t& place : *found) place = nodes[place];
  return found;
}

}  // namespace dagathlon
