#include "dagathlon/covariance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dagathlon/dispatch.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t max_register_rows = 10;

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

// Inner products of two columns with two others, whose rows are padded with zeros to whole lanes: each value that is
// read is used twice.
using ColumnPair = std::array<const double*, 2>;
using Products = std::array<std::array<double, 2>, 2>;

DAGATHLON_WIDE_CLONES void inner_products(const ColumnPair& left, const ColumnPair& right, std::size_t padded,
                                          Products& products) {
  const double* a = left[0];
  const double* b = left[1];
  const double* c = right[0];
  const double* d = right[1];
  double ac[lanes] = {};
  double ad[lanes] = {};
  double bc[lanes] = {};
  double bd[lanes] = {};
  for (std::size_t i = 0; i < padded; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) {
      ac[k] += a[i + k] * c[i + k];
      ad[k] += a[i + k] * d[i + k];
      bc[k] += b[i + k] * c[i + k];
      bd[k] += b[i + k] * d[i + k];
    }
  products = {{{sum_of_lanes(ac), sum_of_lanes(ad)}, {sum_of_lanes(bc), sum_of_lanes(bd)}}};
}

// The mean to the last digit: the second sum takes back the rounding of the first.
double mean_of(const double* values, std::size_t rows, std::vector<double>& scratch) {
  const auto n = static_cast<double>(rows);
  const double mean = sum(values, rows) / n;
  for (std::size_t i = 0; i < rows; ++i) scratch[i] = values[i] - mean;
  return mean + sum(scratch.data(), rows) / n;
}

template <class RowAt>
Moments moments_of(std::span<const ValueColumn> columns, std::size_t rows, RowAt row_at) {
  const std::size_t p = columns.size();
  const std::size_t padded = (rows + lanes - 1) / lanes * lanes;
  Moments result{rows, std::vector<double>(p), SymmetricMatrix(p)};
  if (rows == 0) return result;
  std::vector<double> centred(p * padded);
  std::vector<double> scratch(rows);
  for (std::size_t j = 0; j < p; ++j) {
    double* column = centred.data() + j * padded;
    for (std::size_t i = 0; i < rows; ++i) column[i] = columns[j][row_at(i)];
    result.means[j] = mean_of(column, rows, scratch);
    for (std::size_t i = 0; i < rows; ++i) column[i] -= result.means[j];
  }
  // Columns in blocks that stay in the cache while they meet each other.
  const std::size_t block = std::max<std::size_t>(2, 16384 / std::max<std::size_t>(padded, 1) * 2);
  const auto column = [&](std::size_t j) { return centred.data() + j * padded; };
  for (std::size_t from = 0; from < p; from += block)
    for (std::size_t a = 0; a < std::min(from + block, p); a += 2)
      for (std::size_t b = std::max(from, a); b < std::min(from + block, p); b += 2) {
        pulse::beat(2 * padded);
        const std::array left{a, std::min(a + 1, p - 1)};
        const std::array right{b, std::min(b + 1, p - 1)};
        Products products;
        inner_products({column(left[0]), column(left[1])}, {column(right[0]), column(right[1])}, padded, products);
        for (std::size_t i = 0; i < 2; ++i)
          for (std::size_t j = 0; j < 2; ++j) result.scatter.set(left[i], right[j], products[i][j]);
      }
  return result;
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
  const std::size_t p = moments.means.size();
  SymmetricMatrix result(p);
  std::vector<double> scale(p);
  for (std::size_t j = 0; j < p; ++j) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double rounding = epsilon * moments.means[j];
    const double squares = moments.scatter(j, j);
    const bool constant = !(squares > static_cast<double>(moments.rows) * rounding * rounding);
    scale[j] = constant ? 0.0 : 1.0 / std::sqrt(squares);
    result.set(j, j, constant ? 0.0 : 1.0);
  }
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = i + 1; j < p; ++j)
      result.set(i, j, std::clamp(moments.scatter(i, j) * (scale[i] * scale[j]), -1.0, 1.0));
  return result;
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
