// Multiple imputation by chained equations (van Buuren and Groothuis-Oudshoorn 2011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/bits.hpp"
#include "dagathlon/random.hpp"

namespace dagathlon {

// A column whose gaps are filled: levels are 0, 1, … for a discrete one.
struct ImputedColumn {
  bool discrete;
  std::size_t levels;
  std::vector<double> values;
  // Rows whose value is missing; whatever stands there at first is overwritten.
  std::vector<std::size_t> gaps;
};

// Fills the gaps of all columns: first with observed values at random, then `sweeps` times column by
// column given all others. Every column has at least one observed value.
//
// A continuous column is matched on its predictive mean (Little 1988): the coefficients of a linear
// regression are drawn from their posterior, and one of the five rows with the nearest prediction
// lends its value. A discrete column gets the value of a row in the same leaf of a classification tree
// grown on a bootstrap sample (Doove, van Buuren and Dusseldorp 2014).
void impute(std::vector<ImputedColumn>& columns, std::size_t sweeps, Stream& random);

// The two kinds of step: new values for the gaps of one column.
void impute_by_regression(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random);
void impute_by_tree(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random);

// Rows of a column with a value that was observed.
std::vector<std::size_t> observed_rows(const ImputedColumn& column);

}  // namespace dagathlon
