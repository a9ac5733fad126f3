#include "dagathlon/data/imputation.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/data/imputation_design.hpp"
#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t n_donors = 5;

// The lower Cholesky factor of X'X with a ridge, by rows.
std::vector<double> factor_of(const Design& design, Nodes rows) {
  const std::size_t d = design.width();
  std::vector<double> factor(d * d);
  const auto entry = [&](std::size_t i, std::size_t j) {
    pulse::beat(rows.size());
    const double product = design.product(i, design.predictor(j), rows);
    return i == j ? product + (imputation_ridge * product + 1e-12) : product;
  };
  cholesky::factorise(factor, d, entry, cholesky::RaiseTo{1e-300});
  return factor;
}

struct Regression {
  std::vector<double> estimated;
  std::vector<double> drawn;
  // A draw of the standard deviation of the noise.
  double spread;
};

// Slopes by least squares, and a draw from their posterior.
Regression regress(const Design& design, const std::vector<double>& target, Nodes rows, Stream& random) {
  const std::size_t d = design.width();
  const std::vector<double> factor = factor_of(design, rows);
  Regression result{};
  for (std::size_t i = 0; i < d; ++i) {
    double rest = design.product(i, target, rows);
    for (std::size_t l = 0; l < i; ++l) rest -= factor[i * d + l] * result.estimated[l];
    result.estimated.push_back(rest / factor[i * d + i]);
  }
  cholesky::solve_upper(factor, result.estimated);
  double squares = 0;
  for (const std::size_t row : rows) squares += std::pow(target[row] - design.predict(row, result.estimated), 2);
  double chi_square = 0;
  for (std::size_t k = d; k < std::max(rows.size(), d + 1); ++k) chi_square += std::pow(random.normal(), 2);
  result.spread = std::sqrt(squares / chi_square);
  for (std::size_t k = 0; k < d; ++k) result.drawn.push_back(result.spread * random.normal());
  cholesky::solve_upper(factor, result.drawn);
  for (std::size_t k = 0; k < d; ++k) result.drawn[k] += result.estimated[k];
  return result;
}

void fill_at_random(ImputedColumn& column, Stream& random) {
  const std::vector<std::size_t> rows = observed_rows(column);
  for (const std::size_t row : column.gaps) column.values[row] = column.values[rows[random.below(rows.size())]];
}

}  // namespace

std::vector<std::size_t> observed_rows(const ImputedColumn& column) {
  std::vector<std::size_t> rows;
  std::size_t next = 0;
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    if (next < column.gaps.size() && column.gaps[next] == row) ++next;
    else rows.push_back(row);
  }
  return rows;
}

void impute_by_regression(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random) {
  ImputedColumn& column = columns[target];
  const Design design(columns, target);
  const std::vector<std::size_t> rows = observed_rows(column);
  const Regression fit = regress(design, column.values, rows, random);
  struct Donor {
    double prediction;
    std::size_t row;
  };
  std::vector<Donor> donors;
  for (const std::size_t row : rows) donors.push_back({design.predict(row, fit.estimated), row});
  std::ranges::sort(donors, [](const Donor& a, const Donor& b) {
    return a.prediction != b.prediction ? a.prediction < b.prediction : a.row < b.row;
  });
  const std::size_t wanted = std::min(n_donors, donors.size());
  for (const std::size_t row : column.gaps) {
    const double prediction = design.predict(row, fit.drawn);
    auto first =
        static_cast<std::size_t>(std::ranges::lower_bound(donors, prediction, {}, &Donor::prediction) - donors.begin());
    std::size_t last = first;
    while (last - first < wanted) {
      const bool can_grow = last < donors.size();
      const bool down =
          first > 0 && (!can_grow || prediction - donors[first - 1].prediction < donors[last].prediction - prediction);
      if (down) --first;
      else ++last;
    }
    column.values[row] = column.values[donors[first + random.below(wanted)].row];
  }
}

void impute_by_normal(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random) {
  ImputedColumn& column = columns[target];
  const Design design(columns, target);
  const Regression fit = regress(design, column.values, observed_rows(column), random);
  for (const std::size_t row : column.gaps)
    column.values[row] = design.predict(row, fit.drawn) + fit.spread * random.normal();
}

namespace {

void impute_column(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random) {
  switch (columns[target].method) {
    case ImputationMethod::matching: return impute_by_regression(columns, target, random);
    case ImputationMethod::normal: return impute_by_normal(columns, target, random);
    case ImputationMethod::tree:
      if (columns[target].discrete) return impute_by_tree(columns, target, random);
      return impute_by_forest(columns, target, {.trees = 1, .all_columns = true}, random);
    case ImputationMethod::forest: return impute_by_forest(columns, target, {}, random);
    case ImputationMethod::multinomial: return impute_by_levels(columns, target, false, random);
    case ImputationMethod::ordinal: return impute_by_levels(columns, target, true, random);
  }
}

}  // namespace

void impute(std::vector<ImputedColumn>& columns, std::size_t sweeps, Stream& random) {
  for (ImputedColumn& column : columns) fill_at_random(column, random);
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (!columns[j].gaps.empty()) impute_column(columns, j, random);
    }
}

}  // namespace dagathlon
