// Predictors of one column from all others, for its imputation.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/data/imputation.hpp"

namespace dagathlon {

// Added to the diagonal of the normal equations, as a share of it, so that collinear columns do no harm.
inline constexpr double imputation_ridge = 1e-5;

// One row of predictors per row of data: a constant, continuous columns as they are, an indicator for
// each level of a discrete column but the first.
class Design {
 public:
  Design(const std::vector<ImputedColumn>& columns, std::size_t target) : rows_(columns[target].values.size()) {
    add([](std::size_t) { return 1.0; });
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (j == target) continue;
      const std::vector<double>& values = columns[j].values;
      if (!columns[j].discrete) add([&](std::size_t row) { return values[row]; });
      else
        for (std::size_t level = 1; level < columns[j].levels; ++level)
          add([&](std::size_t row) { return values[row] == static_cast<double>(level) ? 1.0 : 0.0; });
    }
  }
  std::size_t width() const { return predictors_.size(); }
  double operator()(std::size_t row, std::size_t k) const { return predictors_[k][row]; }

  double predict(std::size_t row, const std::vector<double>& slopes) const {
    double sum = 0;
    for (std::size_t k = 0; k < width(); ++k) sum += slopes[k] * predictors_[k][row];
    return sum;
  }

  // Products of predictor k with another column, summed over rows.
  double product(std::size_t k, const std::vector<double>& other, Nodes rows) const {
    double sum = 0;
    for (const std::size_t row : rows) sum += predictors_[k][row] * other[row];
    return sum;
  }
  const std::vector<double>& predictor(std::size_t k) const { return predictors_[k]; }

 private:
  template <class Value>
  void add(Value&& value) {
    std::vector<double>& column = predictors_.emplace_back(rows_);
    for (std::size_t row = 0; row < rows_; ++row) column[row] = value(row);
  }

  std::size_t rows_;
  std::vector<std::vector<double>> predictors_;
};

}  // namespace dagathlon
