// Moments of continuous columns, and partial correlations from them.
//
// Sums are taken in one fixed order, however wide the machine's registers are, so that the same data
// have the same digits everywhere.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/graph/nodes.hpp"

namespace dagathlon {

// A column in the caller's memory; the distance of its rows is counted in values.
struct ValueColumn {
  const double* values;
  std::ptrdiff_t row_stride;
  double operator[](std::size_t row) const { return values[static_cast<std::ptrdiff_t>(row) * row_stride]; }
};

// A symmetric matrix, stored in full so that any row can be read.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size = 0) : size_(size), values_(size * size, 0.0) {}
  // For whoever writes every value: of thousands of variables the zeros alone would take long, and one thread.
  static SymmetricMatrix unset(std::size_t size) {
    SymmetricMatrix result;
    result.size_ = size;
    result.values_.resize(size * size);
    return result;
  }
  std::size_t size() const { return size_; }
  double operator()(std::size_t i, std::size_t j) const { return values_[i * size_ + j]; }
  const double* row(std::size_t i) const { return values_.data() + i * size_; }
  // Whoever writes to it keeps the matrix symmetric.
  double* row(std::size_t i) { return values_.data() + i * size_; }
  void set(std::size_t i, std::size_t j, double value) {
    values_[i * size_ + j] = value;
    values_[j * size_ + i] = value;
  }

 private:
  // Leaves new values as they are.
  struct Allocator : std::allocator<double> {
    template <class Other>
    struct rebind {
      using other = Allocator;
    };
    void construct(double*) noexcept {}
    void construct(double* place, double value) noexcept { *place = value; }
  };

  std::size_t size_;
  std::vector<double, Allocator> values_;
};

struct Moments {
  std::size_t rows;
  std::vector<double> means;
  // Sums of products of deviations from the means: divide by rows - 1 or by rows for a covariance.
  SymmetricMatrix scatter;
};

// Moments of all rows; there must be no missing value among them.
Moments moments(std::span<const ValueColumn> columns, std::size_t rows);
// Moments of chosen rows.
Moments moments(std::span<const ValueColumn> columns, Nodes rows);

// Correlations; a constant column correlates with nothing, its diagonal entry is 0. A column counts
// as constant when its deviations are not larger than the rounding of its mean.
SymmetricMatrix correlation(const Moments& moments);
// The same in the memory of the moments: of many columns there is one matrix only.
SymmetricMatrix correlation(Moments&& moments);

// Columns less their means, for correlations of some pairs only: of very many columns there is no room for all.
// Each is to the last digit what correlation() has.
class CentredColumns {
 public:
  CentredColumns(std::span<const ValueColumn> columns, std::size_t rows);

  std::size_t size() const { return scale_.size(); }
  std::size_t rows() const { return rows_; }
  bool varies(std::size_t i) const { return scale_[i] > 0; }
  double correlation(std::size_t i, std::size_t j) const;
  // Those of the columns from `first` to before `last` with all from `first` on: row by row, one value for each of
  // these columns. The diagonal is left as it is.
  void correlations(std::size_t first, std::size_t last, std::span<double> to) const;

 private:
  std::size_t rows_;
  std::size_t padded_;
  std::vector<double> values_;
  std::vector<double> scale_;
};

// The correlations of all pairs of columns, row by row above the diagonal: half of what the matrix takes.
std::vector<double> pair_correlations(std::span<const ValueColumn> columns, std::size_t rows);

// The smallest share of its variance that a variable must keep, given others, not to count as a
// function of them.
inline constexpr double collinear_share = 1e-10;

struct PartialCorrelation {
  double value;
  // False when x or y is constant or a linear function of the given variables: then 0.
  bool defined;
};

// The correlation of x and y given others. A given variable that is a linear function of others that
// are given adds nothing and is passed over. The value is always within [-1, 1].
class PartialCorrelations {
 public:
  // The diagonal may be given besides: in a large matrix its cells lie far apart.
  explicit PartialCorrelations(const SymmetricMatrix& correlation, std::span<const double> diagonal = {})
      : correlation_(correlation), diagonal_(diagonal) {}
  PartialCorrelation operator()(std::size_t x, std::size_t y, Nodes given);

 private:
  double own(std::size_t i) const { return diagonal_.empty() ? correlation_(i, i) : diagonal_[i]; }
  PartialCorrelation given_one(std::size_t x, std::size_t y, std::size_t z) const;
  PartialCorrelation given_two(std::size_t x, std::size_t y, Nodes given) const;
  PartialCorrelation by_cholesky(std::size_t x, std::size_t y, Nodes given);
  void factorise(Nodes given);
  double solve_row(std::size_t node, std::size_t row);

  const SymmetricMatrix& correlation_;
  std::span<const double> diagonal_;
  // The factor of what was given last, and of x after it: the next question is often about another y.
  std::vector<double> factor_;
  std::vector<std::size_t> given_;
  std::size_t x_ = no_node;
  double rest_of_x_ = 0;
};

}  // namespace dagathlon
