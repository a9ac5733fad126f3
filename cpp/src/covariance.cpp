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
constexpr std::size_t max_register_rows = 10;
// Multiplications that take longer than starting a thread.
constexpr std::size_t worth_splitting = std::size_t{1} << 24;

double sum_of_lanes(const double* lane) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double sum(const double* values, std::size_t rows) {
  std::array<double, lanes> lane{};
  std::size_t i = 0;
  for (; i + lanes <= rows; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) lane[k] += values[i + k];
  for (std::size_t k = 0; i < rows; ++i, ++k) lane[k] += values[i];
  return sum_of_lanes(lane.data());
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

// Inner products of columns, one after the other, whose rows are padded with zeros to whole lanes.
DAGATHLON_WIDE_CLONES void inner_products(const double* columns, std::size_t padded, const Tile& tile,
                                          double* products) {
  const Lane* first[tile_height];
  const Lane* second[tile_width];
  const auto column = [&](std::size_t j) { return reinterpret_cast<const Lane*>(columns + j * padded); };
  for (std::size_t r = 0; r < tile_height; ++r) first[r] = column(tile.first[r]);
  for (std::size_t c = 0; c < tile_width; ++c) second[c] = column(tile.second[c]);
  Lane sums[tile_height][tile_width] = {};
  for (std::size_t i = 0; i < padded / lanes; ++i)
    for (std::size_t r = 0; r < tile_height; ++r)
      for (std::size_t c = 0; c < tile_width; ++c) sums[r][c] += first[r][i] * second[c][i];
  for (std::size_t r = 0; r < tile_height; ++r)
    for (std::size_t c = 0; c < tile_width; ++c)
      products[r * tile_width + c] = sum_of_lanes(reinterpret_cast<const double*>(&sums[r][c]));
}

// The same of one pair.
DAGATHLON_WIDE_CLONES double inner_product(const double* first, const double* second, std::size_t padded) {
  const Lane* one = reinterpret_cast<const Lane*>(first);
  const Lane* other = reinterpret_cast<const Lane*>(second);
  Lane sums = {};
  for (std::size_t i = 0; i < padded / lanes; ++i) sums += one[i] * other[i];
  return sum_of_lanes(reinterpret_cast<const double*>(&sums));
}

// The mean to the last digit: the second sum takes back the rounding of the first.
double mean_of(const double* values, std::size_t rows, std::vector<double>& scratch) {
  const auto n = static_cast<double>(rows);
  const double mean = sum(values, rows) / n;
  for (std::size_t i = 0; i < rows; ++i) scratch[i] = values[i] - mean;
  return mean + sum(scratch.data(), rows) / n;
}

void set_products(const Tile& tile, const double* products, SymmetricMatrix& scatter) {
  for (std::size_t r = 0; r < tile_height; ++r)
    for (std::size_t c = 0; c < tile_width; ++c)
      scatter.set(tile.first[r], tile.second[c], products[r * tile_width + c]);
}

// Products of all pairs, by blocks of columns that stay in the cache while they meet the others. A tile at
// the edge has its last column several times.
void fill_products(const std::vector<double>& columns, std::size_t padded, SymmetricMatrix& scatter) {
  const std::size_t p = scatter.size();
  const std::size_t block = std::max<std::size_t>(tile_height, 16384 / padded * 2 / tile_height * tile_height);
  const std::size_t blocks = (p + block - 1) / block;
  Team team(p * p * padded < worth_splitting ? 1 : blocks);
  // The last block meets all columns: it begins first.
  team.each(blocks, [&](std::size_t place, std::size_t) {
    double products[tile_height * tile_width];
    Tile tile;
    const std::size_t from = (blocks - 1 - place) * block;
    const std::size_t end = std::min(from + block, p);
    for (std::size_t a = 0; a < end; a += tile_height) {
      for (std::size_t r = 0; r < tile_height; ++r) tile.first[r] = std::min(a + r, p - 1);
      for (std::size_t b = std::max(from, a); b < end; b += tile_width) {
        pulse::beat(padded * tile_height);
        for (std::size_t c = 0; c < tile_width; ++c) tile.second[c] = std::min(b + c, end - 1);
        inner_products(columns.data(), padded, tile, products);
        set_products(tile, products, scatter);
      }
    }
  });
}

// Columns less their means, one after the other and padded to whole lanes.
template <class RowAt>
std::vector<double> centred_values(std::span<const ValueColumn> columns, std::size_t rows, RowAt row_at,
                                   std::vector<double>& means) {
  const std::size_t padded = padded_rows(rows);
  std::vector<double> centred(columns.size() * padded);
  const std::size_t blocks = (columns.size() + lanes - 1) / lanes;
  Team team(columns.size() * rows < worth_splitting / 16 ? 1 : blocks);
  team.each(blocks, [&](std::size_t block, std::size_t) {
    std::vector<double> scratch(rows);
    for (std::size_t j = block * lanes; j < std::min((block + 1) * lanes, columns.size()); ++j) {
      pulse::beat(rows);
      double* column = centred.data() + j * padded;
      for (std::size_t i = 0; i < rows; ++i) column[i] = columns[j][row_at(i)];
      means[j] = mean_of(column, rows, scratch);
      for (std::size_t i = 0; i < rows; ++i) column[i] -= means[j];
    }
  });
  return centred;
}

template <class RowAt>
Moments moments_of(std::span<const ValueColumn> columns, std::size_t rows, RowAt row_at) {
  const std::size_t p = columns.size();
  Moments result{rows, std::vector<double>(p), SymmetricMatrix(p)};
  if (rows == 0) return result;
  fill_products(centred_values(columns, rows, row_at, result.means), padded_rows(rows), result.scatter);
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

// The residual moments of x and y after the given variables, for at most k of them.
struct Residual {
  double xx;
  double yy;
  double xy;
};

// Rows of the factor are `stride` apart; the given variables come first, then x and y. Row by row,
// so that a row needs only the rows above it.
Residual factorise(const SymmetricMatrix& m, std::size_t x, std::size_t y, Nodes given, double* factor,
                   std::size_t stride) {
  const std::size_t k = given.size();
  const auto solve_row = [&](const double* covariances, double variance, std::size_t row) {
    double* to = factor + row * stride;
    const std::size_t known = std::min(row, k);
    for (std::size_t j = 0; j < known; ++j) {
      double rest = covariances[given[j]];
      const double* other = factor + j * stride;
      for (std::size_t l = 0; l < j; ++l) rest -= to[l] * other[l];
      // The diagonal holds the inverse; it is 0 for a variable that is passed over.
      to[j] = rest * other[j];
      variance -= to[j] * to[j];
    }
    return variance;
  };
  for (std::size_t i = 0; i < k; ++i) {
    const double rest = solve_row(m.row(given[i]), m(given[i], given[i]), i);
    factor[i * stride + i] = rest > collinear_share ? 1.0 / std::sqrt(rest) : 0.0;
  }
  const double xx = solve_row(m.row(x), m(x, x), k);
  const double yy = solve_row(m.row(y), m(y, y), k + 1);
  double xy = m(x, y);
  for (std::size_t j = 0; j < k; ++j) xy -= factor[k * stride + j] * factor[(k + 1) * stride + j];
  return {xx, yy, xy};
}

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
  double products[tile_height * tile_width];
  for (std::size_t j = 0; j < size(); ++j) {
    inner_products(values_.data(), padded_, {{j, j, j, j}, {j, j}}, products);
    scale_[j] = scale_of(products[0], means[j], rows);
  }
}

double CentredColumns::correlation(std::size_t i, std::size_t j) const {
  if (i == j) return varies(i) ? 1.0 : 0.0;
  return scaled(inner_product(values_.data() + i * padded_, values_.data() + j * padded_, padded_), scale_[i], scale_[j]);
}

void CentredColumns::correlations(std::size_t first, std::size_t last, std::span<double> to) const {
  const std::size_t width = size() - first;
  double products[tile_height * tile_width];
  Tile tile;
  for (std::size_t b = first; b < size(); b += tile_width) {
    for (std::size_t c = 0; c < tile_width; ++c) tile.second[c] = std::min(b + c, size() - 1);
    for (std::size_t a = first; a < last; a += tile_height) {
      pulse::beat(padded_ * tile_height);
      for (std::size_t r = 0; r < tile_height; ++r) tile.first[r] = std::min(a + r, last - 1);
      inner_products(values_.data(), padded_, tile, products);
      for (std::size_t r = 0; r < tile_height; ++r)
        for (std::size_t c = 0; c < tile_width; ++c)
          to[(tile.first[r] - first) * width + tile.second[c] - first] =
              scaled(products[r * tile_width + c], scale_[tile.first[r]], scale_[tile.second[c]]);
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

PartialCorrelation PartialCorrelations::by_cholesky(std::size_t x, std::size_t y, Nodes given) {
  const std::size_t rows = given.size() + 2;
  if (rows <= max_register_rows) {
    double factor[max_register_rows * max_register_rows];
    return from_residual(factorise(correlation_, x, y, given, factor, max_register_rows));
  }
  factor_.resize(rows * rows);
  return from_residual(factorise(correlation_, x, y, given, factor_.data(), rows));
}

}  // namespace dagathlon
