// Multiple imputation by chained equations (van Buuren and Groothuis-Oudshoorn 2011).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// How a column is filled given all others.
enum class ImputationMethod {
  // Continuous or ordered: one of the five observed rows with the nearest predictive mean lends its value.
  matching,
  // Continuous: a draw from the linear regression with normal noise.
  normal,
  // A row of the same leaf of a tree grown on a bootstrap sample lends its value.
  tree,
  // One of the rows of the same leaves of several such trees does.
  forest,
  // Levels: a draw from the multinomial logistic regression; with two levels the logistic one.
  multinomial,
  // Ordered levels: a draw from the regression of proportional odds.
  ordinal
};

// A column whose gaps are filled: levels are 0, 1, … for a discrete one.
struct ImputedColumn {
  bool discrete;
  std::size_t levels;
  std::vector<double> values;
  // Rows whose value is missing; whatever stands there at first is overwritten.
  std::vector<std::size_t> gaps;
  ImputationMethod method = ImputationMethod::matching;
};

// Fills the gaps of all columns: first with observed values at random, then `sweeps` times column by
// column given all others. Every column has at least one observed value.
//
// Parameters of regressions are drawn from their posterior, trees are grown on bootstrap samples, so that
// the copies differ by what the data leave open (Rubin 1987). Matching is Little's (1988), trees are those
// of Doove, van Buuren and Dusseldorp (2014).
void impute(std::vector<ImputedColumn>& columns, std::size_t sweeps, Stream& random);

// How a forest is grown; in each node as many columns are tried as the square root of their number.
struct ForestOptions {
  std::size_t trees = 10;
  bool all_columns = false;
};

// The kinds of step: new values for the gaps of one column.
void impute_by_regression(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random);
void impute_by_normal(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random);
void impute_by_levels(std::vector<ImputedColumn>& columns, std::size_t target, bool ordered, Stream& random);
void impute_by_forest(std::vector<ImputedColumn>& columns, std::size_t target, const ForestOptions& options,
                      Stream& random);
void impute_by_tree(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random);

// Rows of a column with a value that was observed.
std::vector<std::size_t> observed_rows(const ImputedColumn& column);

}  // namespace dagathlon
