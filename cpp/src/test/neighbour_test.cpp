#include "dagathlon/test/neighbour_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// The author's choices for tests: a fifth of the rows, and five rows to permute among.
constexpr double neighbour_share = 0.2;
constexpr std::size_t fewest_neighbours = 3;
constexpr std::size_t near_rows = 5;
constexpr std::size_t fewest_rows = 10;
constexpr double euler = 0.57721566490153286;

std::vector<double> digammas(std::size_t largest) {
  std::vector<double> found(largest + 1, -euler);
  for (std::size_t k = 2; k <= largest; ++k) found[k] = found[k - 1] + 1 / static_cast<double>(k - 1);
  return found;
}

}  // namespace

NeighbourTest::NeighbourTest(std::vector<RankColumn> columns, std::size_t rows, PermutationOptions options)
    : PermutationTest(options),
      columns_(std::move(columns)),
      rows_(rows),
      neighbours_(std::max(fewest_neighbours,
                           static_cast<std::size_t>(std::lround(neighbour_share * static_cast<double>(rows))))),
      digamma_(digammas(rows + 1)),
      sequence_(rows) {
  for (const RankColumn& column : columns_) {
    has_ties_.push_back(tied(column));
    constant_.push_back(std::ranges::adjacent_find(column.places, std::not_equal_to<>()) == column.places.end());
  }
}

bool NeighbourTest::tied(const RankColumn& column) const {
  std::vector<std::uint16_t> sorted = column.places;
  std::ranges::sort(sorted);
  return column.discrete || std::ranges::adjacent_find(sorted) != sorted.end();
}

void NeighbourTest::widen(const RankColumn& column, std::size_t row, Distance* distances) const {
  const std::uint16_t* places = column.places.data();
  const std::uint16_t here = places[row];
  if (column.discrete) {
    const auto far = static_cast<Distance>(rows_);
    for (std::size_t j = 0; j < rows_; ++j) distances[j] = places[j] == here ? distances[j] : far;
    return;
  }
  for (std::size_t j = 0; j < rows_; ++j) {
    const std::uint16_t p = places[j];
    const auto d = static_cast<Distance>(p > here ? p - here : here - p);
    distances[j] = std::max(distances[j], d);
  }
}

PermutationTest::Observed NeighbourTest::observe(std::size_t x, std::size_t y, Nodes given) {
  if (rows_ < fewest_rows || constant_[x] || constant_[y]) return {0, 0, false};
  conditional_ = !given.empty();
  ties_ = has_ties_[x] || has_ties_[y];
  for (const std::size_t z : given) ties_ = ties_ || has_ties_[z];
  to_given_.assign(rows_ * rows_, 0);
  for (std::size_t i = 0; i < rows_; ++i) {
    pulse::beat(rows_ * (given.size() + 1));
    for (const std::size_t z : given) widen(columns_[z], i, to_given_.data() + i * rows_);
  }
  to_y_ = to_given_;
  for (std::size_t i = 0; i < rows_; ++i) widen(columns_[y], i, to_y_.data() + i * rows_);
  x_ = columns_[x];
  original_ = x_.places;
  std::iota(sequence_.begin(), sequence_.end(), std::uint16_t{0});
  if (conditional_) find_near_rows();
  const double value = estimate();
  return {value, value, true};
}

// The rows that are as near as the fifth, itself among them: more where distances are equal, fewer
// where so many have no level in common.
void NeighbourTest::find_near_rows() {
  const std::size_t wanted = std::min(near_rows, rows_);
  near_.assign(rows_, {});
  std::vector<Distance> sorted(rows_);
  for (std::size_t i = 0; i < rows_; ++i) {
    pulse::beat(rows_);
    const Distance* distances = to_given_.data() + i * rows_;
    std::copy_n(distances, rows_, sorted.begin());
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(wanted - 1));
    const auto limit = std::min(sorted[wanted - 1], static_cast<Distance>(rows_ - 1));
    for (std::size_t j = 0; j < rows_; ++j)
      if (distances[j] <= limit) near_[i].push_back(static_cast<std::uint16_t>(j));
  }
}

// In random order each row takes the value of a near row, of one not yet taken where there is one.
double NeighbourTest::permuted(Stream& random) {
  if (!conditional_) {
    random.shuffle(std::span(x_.places));
    return estimate();
  }
  random.shuffle(std::span(sequence_));
  std::vector<bool> taken(rows_);
  for (const std::uint16_t i : sequence_) {
    std::vector<std::uint16_t>& near = near_[i];
    std::size_t chosen = 0;
    for (std::size_t m = 0; m < near.size(); ++m) {
      std::swap(near[m], near[m + random.below(near.size() - m)]);
      chosen = near[m];
      if (!taken[chosen]) break;
    }
    taken[chosen] = true;
    x_.places[i] = original_[chosen];
  }
  return estimate();
}

std::size_t NeighbourTest::within(const Distance* distances, Distance limit) const {
  std::uint16_t count = 0;  // rows are fewer than 65,536
  for (std::size_t j = 0; j < rows_; ++j) count = static_cast<std::uint16_t>(count + (distances[j] <= limit ? 1 : 0));
  return count;
}

// By bisection of the distance: counting runs in wide registers, selecting does not.
NeighbourTest::Distance NeighbourTest::smallest_with(const Distance* distances, std::size_t wanted) const {
  std::size_t low = 0;
  std::size_t high = rows_ - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (within(distances, static_cast<Distance>(middle)) >= wanted) high = middle;
    else low = middle + 1;
  }
  return static_cast<Distance>(low);
}

double NeighbourTest::row_terms(std::size_t row, Distance* to_xz, Distance* to_all) const {
  const Distance* to_z = to_given_.data() + row * rows_;
  const Distance* to_yz = to_y_.data() + row * rows_;
  std::copy_n(to_z, rows_, to_xz);
  widen(x_, row, to_xz);
  for (std::size_t j = 0; j < rows_; ++j) to_all[j] = std::max(to_xz[j], to_yz[j]);
  if (!ties_) {
    const auto inside = static_cast<Distance>(smallest_with(to_all, neighbours_ + 1) - 1);
    return digamma_[within(to_z, inside)] - digamma_[within(to_xz, inside)] - digamma_[within(to_yz, inside)] +
           digamma_[neighbours_];
  }
  // Rows with other levels are no neighbours; one without any says nothing.
  const std::size_t found = std::min(neighbours_ + 1, within(to_all, static_cast<Distance>(rows_ - 1)));
  if (found == 1) return 0;
  const Distance radius = smallest_with(to_all, found);
  const std::size_t nearest = radius == 0 ? within(to_all, 0) : found;
  return digamma_[nearest - 1] + digamma_[within(to_z, radius) - 1] - digamma_[within(to_xz, radius) - 1] -
         digamma_[within(to_yz, radius) - 1];
}

double NeighbourTest::estimate() {
  std::vector<Distance> to_xz(rows_);
  std::vector<Distance> to_all(rows_);
  double sum = 0;
  for (std::size_t i = 0; i < rows_; ++i) {
    pulse::beat(rows_);
    sum += row_terms(i, to_xz.data(), to_all.data());
  }
  return sum / static_cast<double>(rows_);
}

}  // namespace dagathlon
