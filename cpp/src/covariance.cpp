#include "dagathlon/covariance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dagathlon/dispatch.hpp"
#include "dagathlon/pulse.hpp"
#include "dagathlon/team.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t lanes = 8;
// Rows that are centred at a time where there are many; whole lanes.
constexpr std::size_t rows_of_part = 4096;
// Multiplications that take longer than starting a thread.
constexpr std::size_t worth_splitting = std::size_t{1} << 24;

double sum_of_lanes(const double* lane) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

constexpr std::size_t padded_rows(std::size_t rows) { return (rows + lanes - 1) / lanes * lanes; }

// One register of the widest machine, several of the others; memory need not be aligned.
using Lane = double __attribute__((vector_size(lanes * sizeof(double)), aligned(alignof(double)), may_alias));

// Columns that meet in registers, each of the first with each of the second.
constexpr std::size_t tile_height = 4;
constexpr std::size_t tile_width = 2;
struct Tile {
  std::array<std::size_t, tile_height> first;
  std::array<std::size_t, tile_width> second;
};

using TileSums = std::array<double, tile_height * tile_width * lanes>;

// Adds inner products of columns, one after the other, whose rows are padded with zeros to whole lanes. Lanes
// are summed at the end only: rows that come in parts give the same digits as all at once.
DAGATHLON_WIDE_CLONES void add_products(const double* columns, std::size_t padded, const Tile& tile, TileSums& total) {
  const Lane* first[tile_height];
  const Lane* second[tile_width];
  const auto column = [&](std::size_t j) { return reinterpret_cast<const Lane*>(columns + j * padded); };
  for (std::size_t r = 0; r < tile_height; ++r) first[r] = column(tile.first[r]);
  for (std::size_t c = 0; c < tile_width; ++c) second[c] = column(tile.second[c]);
  Lane sums[tile_height][tile_width];
  Lane* kept = reinterpret_cast<Lane*>(total.data());
  for (std::size_t r = 0; r < tile_height; ++r)
    for (std::size_t c = 0; c < tile_width; ++c) sums[r][c] = kept[r * tile_width + c];
  for (std::size_t i = 0; i < padded / lanes; ++i)
    for (std::size_t r = 0; r < tile_height; ++r)
      for (std::size_t c = 0; c < tile_width; ++c) sums[r][c] += first[r][i] * second[c][i];
  for (std::size_t r = 0; r < tile_height; ++r)
    for (std::size_t c = 0; c < tile_width; ++c) kept[r * tile_width + c] = sums[r][c];
}

double sum_at(const TileSums& sums, std::size_t r, std::size_t c) {
  return sum_of_lanes(sums.data() + (r * tile_width + c) * lanes);
}

// The inner product of one pair, to the digits of a tile's.
DAGATHLON_WIDE_CLONES double inner_product(const double* first, const double* second, std::size_t padded) {
  const Lane* one = reinterpret_cast<const Lane*>(first);
  const Lane* other = reinterpret_cast<const Lane*>(second);
  Lane sums = {};
  for (std::size_t i = 0; i < padded / lanes; ++i) sums += one[i] * other[i];
  return sum_of_lanes(reinterpret_cast<const double*>(&sums));
}

// Sums of values that come in parts of whole lanes, but for the last.
class LaneSum {
 public:
  template <class ValueAt>
  void add(std::size_t rows, ValueAt value_at) {
    std::size_t i = 0;
    for (; i + lanes <= rows; i += lanes)
      for (std::size_t k = 0; k < lanes; ++k) lane_[k] += value_at(i + k);
    for (std::size_t k = 0; i < rows; ++i, ++k) lane_[k] += value_at(i);
  }
  double total() const { return sum_of_lanes(lane_.data()); }

 private:
  std::array<double, lanes> lane_{};
};

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

// All pairs of columns, by blocks of columns that stay in the cache while they meet those before them.
class Blocks {
 public:
  Blocks(std::size_t p, std::size_t padded)
      : p_(p),
        padded_(padded),
        width_(std::max<std::size_t>(tile_height, 16384 / padded * 2 / tile_height * tile_height)) {}

  std::size_t count() const { return (p_ + width_ - 1) / width_; }

  // Calls visit(tile) for the tiles of a block. A tile at the edge has its last column several times.
  template <class Visit>
  void each_tile(std::size_t block, Visit&& visit) const {
    Tile tile;
    const std::size_t from = block * width_;
    const std::size_t end = std::min(from + width_, p_);
    for (std::size_t a = 0; a < end; a += tile_height) {
      for (std::size_t r = 0; r < tile_height; ++r) tile.first[r] = std::min(a + r, p_ - 1);
      for (std::size_t b = std::max(from, a); b < end; b += tile_width) {
        pulse::beat(padded_ * tile_height);
        for (std::size_t c = 0; c < tile_width; ++c) tile.second[c] = std::min(b + c, end - 1);
        visit(tile);
      }
    }
  }

 private:
  std::size_t p_;
  std::size_t padded_;
  std::size_t width_;
};

void set_products(const Tile& tile, const TileSums& sums, SymmetricMatrix& scatter) {
  for (std::size_t r = 0; r < tile_height; ++r)
    for (std::size_t c = 0; c < tile_width; ++c) scatter.set(tile.first[r], tile.second[c], sum_at(sums, r, c));
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

// Deviations from the mean in a part of the rows, and zeros behind the last.
template <class RowAt>
void centre_part(ValueColumn values, double mean, RowAt row_at, std::size_t rows, double* column) {
  for (std::size_t i = 0; i < rows; ++i) column[i] = values[row_at(i)] - mean;
  std::fill(column + rows, column + rows_of_part, 0.0);
}

// Part by part, with the sums of all tiles at hand: what is held does not grow with the rows.
template <class RowAt>
void fill_by_parts(std::span<const ValueColumn> columns, RowAt row_at, Moments& found) {
  const std::size_t p = columns.size();
  const Blocks blocks(p, rows_of_part);
  std::vector<std::vector<TileSums>> sums(blocks.count());
  for (std::size_t b = 0; b < blocks.count(); ++b) blocks.each_tile(b, [&](const Tile&) { sums[b].emplace_back(); });
  std::vector<double> centred(p * rows_of_part);
  Team team(p * p * found.rows < worth_splitting ? 1 : std::max(p, blocks.count()));
  team.each(p, [&](std::size_t j, std::size_t) {
    pulse::beat(found.rows);
    found.means[j] = mean_of(found.rows, [&](std::size_t i) { return columns[j][row_at(i)]; });
  });
  for (std::size_t start = 0; start < found.rows; start += rows_of_part) {
    const std::size_t rows = std::min(rows_of_part, found.rows - start);
    team.each(p, [&](std::size_t j, std::size_t) {
      const auto from_start = [&](std::size_t i) { return row_at(start + i); };
      centre_part(columns[j], found.means[j], from_start, rows, centred.data() + j * rows_of_part);
    });
    team.each(blocks.count(), [&](std::size_t b, std::size_t) {
      auto sum = sums[b].begin();
      blocks.each_tile(b, [&](const Tile& tile) { add_products(centred.data(), rows_of_part, tile, *sum++); });
    });
  }
  for (std::size_t b = 0; b < blocks.count(); ++b) {
    auto sum = sums[b].begin();
    blocks.each_tile(b, [&](const Tile& tile) { set_products(tile, *sum++, found.scatter); });
  }
}

template <class RowAt>
Moments moments_of(std::span<const ValueColumn> columns, std::size_t rows, RowAt row_at) {
  const std::size_t p = columns.size();
  Moments result{rows, std::vector<double>(p), SymmetricMatrix(p)};
  if (rows == 0) return result;
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

SymmetricMatrix correlation(const Moments& moments) {
  return correlation(Moments{moments});
}

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
  return scaled(inner_product(values_.data() + i * padded_, values_.data() + j * padded_, padded_), scale_[i], scale_[j]);
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

PartialCorrelation PartialCorrelations::operator()(std::size_t x, std::size_t y, Nodes given) {
  if (given.empty()) {
    const bool defined = correlation_(x, x) > 0 && correlation_(y, y) > 0;
    return {correlation_(x, y), defined};
  }
  return given.size() == 1 ? given_one(x, y, given[0]) : by_cholesky(x, y, given);
}

PartialCorrelation PartialCorrelations::given_one(std::size_t x, std::size_t y, std::size_t z) const {
  const double* with_z = correlation_.row(z);
  return from_residual({correlation_(x, x) - with_z[x] * with_z[x], correlation_(y, y) - with_z[y] * with_z[y],
                        correlation_(x, y) - with_z[x] * with_z[y]});
}

// What is left of the variance of a node after the given ones; its row of the factor needs only those above it.
double PartialCorrelations::solve_row(std::size_t node, std::size_t row) {
  const std::size_t stride = given_.size() + 2;
  const double* covariances = correlation_.row(node);
  double variance = covariances[node];
  double* to = factor_.data() + row * stride;
  const std::size_t known = std::min(row, given_.size());
  for (std::size_t j = 0; j < known; ++j) {
    double rest = covariances[given_[j]];
    const double* other = factor_.data() + j * stride;
    for (std::size_t l = 0; l < j; ++l) rest -= to[l] * other[l];
    // The diagonal holds the inverse; it is 0 for a variable that is passed over.
    to[j] = rest * other[j];
    variance -= to[j] * to[j];
  }
  return variance;
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
