#include "dagathlon/test/degenerate_gaussian_test.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

// A Cholesky factor that grows by one column of the data at a time.
class Residuals {
 public:
  explicit Residuals(const SymmetricMatrix& correlation) : correlation_(correlation) {}

  std::size_t rank() const { return kept_.size(); }

  // The variance that a column keeps given those before; it joins them if that is not nothing.
  double add(std::size_t column) {
    std::vector<double> row(kept_.size() + 1);
    double left = correlation_(column, column);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      double rest = correlation_(column, kept_[i]);
      for (std::size_t l = 0; l < i; ++l) rest -= row[l] * factor_[i][l];
      row[i] = rest / factor_[i][i];
      left -= row[i] * row[i];
    }
    if (left > collinear_share) {
      row.back() = std::sqrt(left);
      factor_.push_back(std::move(row));
      kept_.push_back(column);
    }
    return left;
  }

 private:
  const SymmetricMatrix& correlation_;
  std::vector<std::size_t> kept_;
  std::vector<std::vector<double>> factor_;
};

// Adds columns and names those that were no function of what was there.
std::vector<std::size_t> add_all(Residuals& residuals, Nodes columns) {
  std::vector<std::size_t> kept;
  for (const std::size_t column : columns)
    if (residuals.add(column) > collinear_share) kept.push_back(column);
  return kept;
}

double log_determinant(Residuals residuals, Nodes columns) {
  double sum = 0;
  // A function of what was there before is as far from independent as numbers can tell.
  for (const std::size_t column : columns) sum += std::log(std::max(residuals.add(column), collinear_share));
  return sum;
}

// The columns of a question.
struct Asked {
  std::vector<std::size_t> x;
  std::vector<std::size_t> y;
  std::vector<std::size_t> given;
};

Asked columns_of(std::size_t x, std::size_t y, Nodes given, const std::vector<std::size_t>& starts) {
  const auto columns = [&starts](Nodes variables) {
    std::vector<std::size_t> found;
    for (const std::size_t v : variables)
      for (std::size_t c = starts[v]; c < starts[v + 1]; ++c) found.push_back(c);
    return found;
  };
  return {columns(Nodes(&x, 1)), columns(Nodes(&y, 1)), columns(given)};
}

// What the logarithm of the ratio is multiplied with.
double factor(std::size_t rows, std::size_t given, std::size_t tested, RatioScale scale) {
  const auto n = static_cast<double>(rows);
  if (scale == RatioScale::rows) return n;
  return n - 1.0 - static_cast<double>(given) - (static_cast<double>(tested) + 1.0) / 2.0;
}

TestResult likelihood_ratio(const SymmetricMatrix& correlation, std::size_t rows, const Asked& asked,
                            RatioScale scale) {
  Residuals without_x(correlation);
  add_all(without_x, asked.given);
  Residuals with_x = without_x;
  const std::vector<std::size_t> of_x = add_all(with_x, asked.x);
  Residuals with_y = without_x;
  const std::vector<std::size_t> of_y = add_all(with_y, asked.y);
  const std::size_t given = without_x.rank();
  const std::size_t tested = of_x.size() + of_y.size();
  if (of_x.empty() || of_y.empty() || rows < given + tested + 2) return {0, 0, 1, false};
  const double gain = log_determinant(std::move(without_x), of_y) - log_determinant(std::move(with_x), of_y);
  const double statistic = std::max(0.0, gain * factor(rows, given, tested, scale));
  const auto df = static_cast<double>(of_x.size() * of_y.size());
  return {statistic, df, chi_square_tail(statistic, df), true};
}

}  // namespace

DegenerateGaussianTest::DegenerateGaussianTest(std::span<const ValueColumn> columns, std::size_t rows,
                                               std::vector<std::size_t> starts, RatioScale scale)
    : correlation_(correlation(moments(columns, rows))), rows_(rows), starts_(std::move(starts)), scale_(scale) {}

TestResult DegenerateGaussianTest::run(std::size_t x, std::size_t y, Nodes given) {
  return likelihood_ratio(correlation_, rows_, columns_of(x, y, given, starts_), scale_);
}

RowwiseDegenerateTest::RowwiseDegenerateTest(std::span<const ValueColumn> columns, std::size_t rows,
                                             std::vector<std::size_t> starts, RatioScale scale)
    : rows_(rows), starts_(std::move(starts)), scale_(scale) {
  values_.reserve(columns.size() * rows);
  for (const ValueColumn& column : columns)
    for (std::size_t i = 0; i < rows; ++i) values_.push_back(column[i]);
}

std::vector<std::size_t> RowwiseDegenerateTest::complete_rows(Nodes columns) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rows_; ++i)
    if (std::ranges::none_of(columns, [&](std::size_t c) { return std::isnan(values_[c * rows_ + i]); }))
      found.push_back(i);
  return found;
}

TestResult RowwiseDegenerateTest::run(std::size_t x, std::size_t y, Nodes given) {
  Asked asked = columns_of(x, y, given, starts_);
  std::vector<std::size_t> all;
  std::vector<ValueColumn> columns;
  for (std::vector<std::size_t>* part : {&asked.x, &asked.y, &asked.given})
    for (std::size_t& c : *part) {
      columns.push_back({values_.data() + c * rows_, 1});
      all.push_back(c);
      c = columns.size() - 1;
    }
  const std::vector<std::size_t> rows = complete_rows(all);
  if (rows.size() < 2) return {0, 0, 1, false};
  return likelihood_ratio(correlation(moments(columns, rows)), rows.size(), asked, scale_);
}

}  // namespace dagathlon
