#include "dagathlon/data/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/data/inner_products.hpp"
#include "dagathlon/linalg/cholesky.hpp"

namespace dagathlon {

namespace {

// The mean to the last digit: the second sum takes back the rounding of the first.
template <class ValueAt>
double mean_of(std::size_t rows, ValueAt value_at) {
  const auto n = static_cast<double>(rows);
  LaneSum plain;
  plain.add(rows, value_at);
  const double mean = plain.total() / n;
  LaneSum rest;
  rest.add(rows, [&](std::size_t i) { return value_at(i) - mean; });
  return mean + rest.total() / n;
}

// Columns less their means, one after the other and padded to whole lanes.
template <class RowAt>
std::vector<double> centred_values(std::span<const ValueColumn> columns, std::size_t rows, RowAt row_at,
                                   std::vector<double>& means) {
  const std::size_t padded = padded_rows(rows);
  std::vector<double> centred(columns.size() * padded);
  const std::size_t parts = (columns.size() + lanes - 1) / lanes;
  Team team(columns.size() * rows < worth_splitting / 16 ? 1 : parts);
  team.each(parts, [&](std::size_t part, std::size_t) {
    for (std::size_t j = part * lanes; j < std::min((part + 1) * lanes, columns.size()); ++j) {
      pulse::beat(rows);
      double* column = centred.data() + j * padded;
      for (std::size_t i = 0; i < rows; ++i) column[i] = columns[j][row_at(i)];
      means[j] = mean_of(rows, [&](std::size_t i) { return column[i]; });
      for (std::size_t i = 0; i < rows; ++i) column[i] -= means[j];
    }
  });
  return centred;
}

template <class RowAt>
void fill_at_once(std::span<const ValueColumn> columns, RowAt row_at, Moments& found) {
  const std::size_t p = columns.size();
  const std::size_t padded = padded_rows(found.rows);
  const std::vector<double> centred = centred_values(columns, found.rows, row_at, found.means);
  const Blocks blocks(p, padded);
  Team team(p * p * padded < worth_splitting ? 1 : blocks.count());
  // The last block meets all columns: it begins first.
  team.each(blocks.count(), [&](std::size_t place, std::size_t) {
    blocks.each_tile(blocks.count() - 1 - place, [&](const Tile& tile) {
      TileSums sums{};
      add_products(centred.data(), padded, tile, sums);
      set_products(tile, sums, found.scatter);
    });
  });
}

template <class RowAt>
void fill_by_parts(std::span<const ValueColumn> columns, RowAt row_at, Moments& found) {
  const std::size_t p = columns.size();
  ProductSums sums(p);
  Team team(p * p * found.rows < worth_splitting ? 1 : sums.most_members());
  team.each(p, [&](std::size_t j, std::size_t) {
    pulse::beat(found.rows);
    found.means[j] = mean_of(found.rows, [&](std::size_t i) { return columns[j][row_at(i)]; });
  });
  sums.add(team, found.means, found.rows, [&](std::size_t j, std::size_t i) { return columns[j][row_at(i)]; });
  sums.write(found.scatter);
}

template <class RowAt>
Moments moments_of(std::span<const ValueColumn> columns, std::size_t rows, RowAt row_at) {
  const std::size_t p = columns.size();
  if (rows == 0) return {rows, std::vector<double>(p), SymmetricMatrix(p)};
  Moments result{rows, std::vector<double>(p), SymmetricMatrix::unset(p)};
  // The sums of a pair take lanes numbers: no more than an eighth of what all rows would.
  if (rows >= std::max(2 * rows_of_part, 8 * lanes * p)) fill_by_parts(columns, row_at, result);
  else fill_at_once(columns, row_at, result);
  return result;
}

// What makes a correlation of a sum of products: 0 for a column whose deviations are rounding errors of its mean.
double scale_of(double squares, double mean, std::size_t rows) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double rounding = epsilon * mean;
  const bool constant = !(squares > static_cast<double>(rows) * rounding * rounding);
  return constant ? 0.0 : 1.0 / std::sqrt(squares);
}

double scaled(double products, double scale, double other_scale) {
  return std::clamp(products * (scale * other_scale), -1.0, 1.0);
}

// The residual moments of x and y after the given variables.
struct Residual {
  double xx;
  double yy;
  double xy;
};

PartialCorrelation from_residual(const Residual& r) {
  if (!(r.xx > collinear_share) || !(r.yy > collinear_share)) return {0.0, false};
  return {std::clamp(r.xy / std::sqrt(r.xx * r.yy), -1.0, 1.0), true};
}

}  // namespace

Moments moments(std::span<const ValueColumn> columns, std::size_t rows) {
  return moments_of(columns, rows, [](std::size_t i) { return i; });
}

Moments moments(std::span<const ValueColumn> columns, Nodes rows) {
  return moments_of(columns, rows.size(), [rows](std::size_t i) { return rows[i]; });
}

SymmetricMatrix correlation(const Moments& moments) { return correlation(Moments{moments}); }

SymmetricMatrix correlation(Moments&& moments) {
  const std::size_t p = moments.means.size();
  SymmetricMatrix result = std::move(moments.scatter);
  std::vector<double> scale(p);
  for (std::size_t j = 0; j < p; ++j) scale[j] = scale_of(result(j, j), moments.means[j], moments.rows);
  Team team(p * p < worth_splitting / 16 ? 1 : p);
  team.each(p, [&](std::size_t i, std::size_t) {
    pulse::beat(p);
    double* row = result.row(i);
    for (std::size_t j = 0; j < p; ++j) row[j] = scaled(row[j], scale[i], scale[j]);
    row[i] = scale[i] == 0.0 ? 0.0 : 1.0;
  });
  return result;
}

CentredColumns::CentredColumns(std::span<const ValueColumn> columns, std::size_t rows)
    : rows_(rows), padded_(padded_rows(rows)), scale_(columns.size()) {
  std::vector<double> means(columns.size());
  values_ = centred_values(columns, rows, [](std::size_t i) { return i; }, means);
  for (std::size_t j = 0; j < size(); ++j) {
    const double* column = values_.data() + j * padded_;
    scale_[j] = scale_of(inner_product(column, column, padded_), means[j], rows);
  }
}

double CentredColumns::correlation(std::size_t i, std::size_t j) const {
  if (i == j) return varies(i) ? 1.0 : 0.0;
  return scaled(inner_product(values_.data() + i * padded_, values_.data() + j * padded_, padded_), scale_[i],
                scale_[j]);
}

void CentredColumns::correlations(std::size_t first, std::size_t last, std::span<double> to) const {
  const std::size_t width = size() - first;
  Tile tile;
  for (std::size_t b = first; b < size(); b += tile_width) {
    for (std::size_t c = 0; c < tile_width; ++c) tile.second[c] = std::min(b + c, size() - 1);
    for (std::size_t a = first; a < last; a += tile_height) {
      pulse::beat(padded_ * tile_height);
      for (std::size_t r = 0; r < tile_height; ++r) tile.first[r] = std::min(a + r, last - 1);
      TileSums sums{};
      add_products(values_.data(), padded_, tile, sums);
      for (std::size_t r = 0; r < tile_height; ++r)
        for (std::size_t c = 0; c < tile_width; ++c)
          to[(tile.first[r] - first) * width + tile.second[c] - first] =
              scaled(sum_at(sums, r, c), scale_[tile.first[r]], scale_[tile.second[c]]);
    }
  }
}

std::vector<double> pair_correlations(std::span<const ValueColumn> columns, std::size_t rows) {
  constexpr std::size_t height = 64;
  const std::size_t p = columns.size();
  const CentredColumns centred(columns, rows);
  std::vector<double> result(p * (p - (p > 0)) / 2);
  const std::size_t strips = (p + height - 1) / height;
  Team team(p * p * rows < worth_splitting ? 1 : strips);
  std::vector<std::vector<double>> buffers(team.size());
  team.each(strips, [&](std::size_t place, std::size_t member) {
    const std::size_t first = place * height;
    const std::size_t last = std::min(first + height, p);
    const std::size_t width = p - first;
    std::vector<double>& strip = buffers[member];
    strip.resize(height * width);
    centred.correlations(first, last, strip);
    for (std::size_t i = first; i < last; ++i) {
      const double* from = strip.data() + (i - first) * width + (i - first);
      std::copy(from + 1, from + (p - i), result.data() + i * (2 * p - i - 1) / 2);
    }
  });
  return result;
}

PartialCorrelation PartialCorrelations::operator()(std::size_t x, std::size_t y, Nodes given) {
  if (given.empty()) {
    const bool defined = own(x) > 0 && own(y) > 0;
    return {correlation_(x, y), defined};
  }
  if (given.size() == 1) return given_one(x, y, given[0]);
  return given.size() == 2 ? given_two(x, y, given) : by_cholesky(x, y, given);
}

PartialCorrelation PartialCorrelations::given_one(std::size_t x, std::size_t y, std::size_t z) const {
  const double* with_z = correlation_.row(z);
  return from_residual(
      {own(x) - with_z[x] * with_z[x], own(y) - with_z[y] * with_z[y], correlation_(x, y) - with_z[x] * with_z[y]});
}

// The operations of by_cholesky, in its order.
PartialCorrelation PartialCorrelations::given_two(std::size_t x, std::size_t y, Nodes given) const {
  const auto inverse_root = [](double rest) { return rest > collinear_share ? 1.0 / std::sqrt(rest) : 0.0; };
  const double* with_first = correlation_.row(given[0]);
  const double* with_second = correlation_.row(given[1]);
  const double first = inverse_root(own(given[0]));
  const double common = with_first[given[1]] * first;
  const double second = inverse_root(own(given[1]) - common * common);
  const double x_first = with_first[x] * first;
  const double y_first = with_first[y] * first;
  const double x_second = (with_second[x] - x_first * common) * second;
  const double y_second = (with_second[y] - y_first * common) * second;
  return from_residual({own(x) - x_first * x_first - x_second * x_second,
                        own(y) - y_first * y_first - y_second * y_second,
                        correlation_(x, y) - x_first * y_first - x_second * y_second});
}

// What is left of the variance of a node after the given ones; its row of the factor needs only those above it.
double PartialCorrelations::solve_row(std::size_t node, std::size_t row) {
  const std::size_t stride = given_.size() + 2;
  const double* covariances = correlation_.row(node);
  return cholesky::solve_row<cholesky::Diagonal::inverse_root>(factor_.data() + row * stride, factor_.data(), stride,
                                                               std::min(row, given_.size()), covariances[node],
                                                               [&](std::size_t j) { return covariances[given_[j]]; });
}

void PartialCorrelations::factorise(Nodes given) {
  const std::size_t k = given.size();
  given_.assign(given.begin(), given.end());
  factor_.resize(std::max(factor_.size(), (k + 2) * (k + 2)));
  for (std::size_t i = 0; i < k; ++i) {
    const double rest = solve_row(given[i], i);
    factor_[i * (k + 2) + i] = rest > collinear_share ? 1.0 / std::sqrt(rest) : 0.0;
  }
  x_ = no_node;
}

PartialCorrelation PartialCorrelations::by_cholesky(std::size_t x, std::size_t y, Nodes given) {
  const std::size_t k = given.size();
  if (!std::ranges::equal(given, given_)) factorise(given);
  if (x != x_) rest_of_x_ = solve_row(x, k);
  x_ = x;
  const double yy = solve_row(y, k + 1);
  const double* of_x = factor_.data() + k * (k + 2);
  double xy = correlation_(x, y);
  for (std::size_t j = 0; j < k; ++j) xy -= of_x[j] * of_x[k + 2 + j];
  return from_residual({rest_of_x_, yy, xy});
}

}  // namespace dagathlon
