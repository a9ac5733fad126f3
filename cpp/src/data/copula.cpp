#include "dagathlon/data/copula.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/stats/constants.hpp"
#include "dagathlon/undirected/lasso_algebra.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/truncated_normal.hpp"

namespace dagathlon {

namespace {

// Levels from which on values are shifted together, in each update of a column.
constexpr std::size_t shifts = 4;

// In eight sums, whatever the machine, so that the digits are the same on all.
DAGATHLON_WIDE_CLONES double product(const double* a, const double* b, std::size_t n) {
  constexpr std::size_t lanes = 8;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += a[i + k] * b[i + k];
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return std::accumulate(sums, sums + lanes, rest);
}

}  // namespace

CopulaLatents::CopulaLatents(std::vector<Column> columns)
    : rows_(columns.empty() ? 0 : columns[0].levels.size()), values_(columns.size() * rows_), means_(rows_) {
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const Column& column = columns[j];
    const std::size_t count = column.start.size();
    // The rows without a level come last.
    const auto place = [&](std::size_t row) {
      return column.levels[row] == missing ? count : static_cast<std::size_t>(column.levels[row]);
    };
    Levels made{std::vector<std::size_t>(rows_), std::vector<std::size_t>(count + 1), column.kept};
    std::iota(made.order.begin(), made.order.end(), std::size_t{0});
    std::ranges::stable_sort(made.order, {}, place);
    for (std::size_t k = 0; k <= count; ++k)
      made.starts[k] =
          static_cast<std::size_t>(std::ranges::lower_bound(made.order, k, {}, place) - made.order.begin());
    for (std::size_t row = 0; row < rows_; ++row)
      values_[j * rows_ + row] = place(row) < count ? column.start[place(row)] : 0.0;
    columns_.push_back(std::move(made));
  }
}

void CopulaLatents::update(const SquareMatrix& precision, Stream& random) {
  for (std::size_t j = 0; j < size(); ++j) update_column(j, precision, random);
}

void CopulaLatents::update_column(std::size_t j, const SquareMatrix& precision, Stream& random) {
  const Levels& levels = columns_[j];
  if (levels.kept && levels.starts.back() == rows_) return;
  find_means(j, precision);
  const double deviation = 1 / std::sqrt(precision(j, j));
  const std::size_t count = levels.starts.size() - 1;
  if (!levels.kept && count > 0) {
    draw_between(j, deviation, random);
    shift_from(0, j, deviation, random);
    for (std::size_t k = 0; k < shifts; ++k) shift_from(random.below(count), j, deviation, random);
    stretch(j, deviation, random);
  }
  for (std::size_t k = levels.starts.back(); k < rows_; ++k) {
    const std::size_t row = levels.order[k];
    values_[j * rows_ + row] = means_[row] + deviation * random.normal();
  }
}

void CopulaLatents::find_means(std::size_t j, const SquareMatrix& precision) {
  pulse::beat(rows_ * size());
  std::ranges::fill(means_, 0.0);
  for (std::size_t k = 0; k < size(); ++k)
    if (k != j && precision(j, k) != 0)
      add_multiple(means_.data(), column(k).data(), -precision(j, k) / precision(j, j), rows_);
}

// Levels from the lowest on: the level below has been drawn, the level above is still to be drawn.
void CopulaLatents::draw_between(std::size_t j, double deviation, Stream& random) {
  const Levels& levels = columns_[j];
  double* values = values_.data() + j * rows_;
  const std::size_t count = levels.starts.size() - 1;
  double low = -infinity;
  for (std::size_t level = 0; level < count; ++level) {
    pulse::beat(16 * (levels.starts[level + 1] - levels.starts[level]));
    double high = infinity;
    if (level + 1 < count)
      for (std::size_t k = levels.starts[level + 1]; k < levels.starts[level + 2]; ++k)
        high = std::min(high, values[levels.order[k]]);
    double highest = -infinity;
    for (std::size_t k = levels.starts[level]; k < levels.starts[level + 1]; ++k) {
      const std::size_t row = levels.order[k];
      const double mean = means_[row];
      const double drawn =
          mean + deviation * truncated_normal((low - mean) / deviation, (high - mean) / deviation, random);
      // Rounding may lead past a bound.
      values[row] = std::clamp(drawn, low, high);
      highest = std::max(highest, values[row]);
    }
    low = highest;
  }
}

// All values from a level on, by a normal number that leaves them above the others.
void CopulaLatents::shift_from(std::size_t level, std::size_t j, double deviation, Stream& random) {
  const Levels& levels = columns_[j];
  double* values = values_.data() + j * rows_;
  double below = -infinity, above = infinity, gap = 0;
  if (level > 0)
    for (std::size_t k = levels.starts[level - 1]; k < levels.starts[level]; ++k)
      below = std::max(below, values[levels.order[k]]);
  for (std::size_t k = levels.starts[level]; k < levels.starts.back(); ++k) {
    const std::size_t row = levels.order[k];
    above = std::min(above, values[row]);
    gap += means_[row] - values[row];
  }
  const auto shifted = static_cast<double>(levels.starts.back() - levels.starts[level]);
  const double centre = gap / shifted, width = deviation / std::sqrt(shifted);
  const double step = centre + width * truncated_normal((below - above - centre) / width, infinity, random);
  for (std::size_t k = levels.starts[level]; k < levels.starts.back(); ++k)
    values[levels.order[k]] = std::max(values[levels.order[k]] + step, below);
}

// All values times a positive number: the density of that number is log-concave, and a normal one at its mode is
// proposed.
void CopulaLatents::stretch(std::size_t j, double deviation, Stream& random) {
  const Levels& levels = columns_[j];
  double* values = values_.data() + j * rows_;
  const std::span<const std::size_t> seen(levels.order.data(), levels.starts.back());
  double squares = 0, products = 0;
  for (const std::size_t row : seen) {
    squares += values[row] * values[row];
    products += values[row] * means_[row];
  }
  const double precision = 1 / (deviation * deviation), power = static_cast<double>(seen.size()) - 1;
  squares *= precision;
  products *= precision;
  if (!(squares > 0) || !(power > 0)) return;
  const double mode = (products + std::sqrt(products * products + 4 * squares * power)) / (2 * squares);
  const double width = 1 / std::sqrt(power / (mode * mode) + squares);
  const double factor = mode + width * random.normal(), threshold = std::log(1 - random.uniform());
  if (!(factor > 0)) return;
  const auto excess = [&](double at) {
    const double standard = (at - mode) / width;
    return power * std::log(at) - 0.5 * at * at * squares + at * products + 0.5 * standard * standard;
  };
  if (!(threshold < excess(factor) - excess(1))) return;
  for (const std::size_t row : seen) values[row] *= factor;
}

std::span<const double> CopulaLatents::scatter() {
  const std::size_t p = size();
  scatter_.resize(p * p);
  for (std::size_t i = 0; i < p; ++i) {
    pulse::beat(rows_ * (i + 1));
    for (std::size_t j = 0; j <= i; ++j)
      scatter_[i * p + j] = scatter_[j * p + i] = product(column(i).data(), column(j).data(), rows_);
  }
  return scatter_;
}

}  // namespace dagathlon
