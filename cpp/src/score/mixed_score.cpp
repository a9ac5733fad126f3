#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/score/mixed_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dagathlon/data/counting.hpp"
#include "dagathlon/stats/constants.hpp"
#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// The sum of squares that remains of the last column after a regression on those before it.
double residual_squares(const SymmetricMatrix& scatter, std::vector<double>& factor) {
  const std::size_t last = scatter.size() - 1;
  factor.assign((last + 1) * (last + 1), 0.0);
  double rest = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    double* row = factor.data() + i * (last + 1);
    const double* scatters = scatter.row(i);
    rest = cholesky::solve_row<cholesky::Diagonal::inverse_root>(row, factor.data(), last + 1, i, scatters[i],
                                                                 [&](std::size_t j) { return scatters[j]; });
    // The diagonal holds the inverse; it is 0 for a column that is a function of those before it.
    row[i] = rest > collinear_share * scatter(i, i) ? 1.0 / std::sqrt(rest) : 0.0;
  }
  return rest;
}

class MixedScore final : public Score {
 public:
  MixedScore(MixedData data, double penalty) : data_(std::move(data)), penalty_(penalty), counter_(data_.discrete) {
    values_.resize(data_.continuous.size() * data_.rows);
    for (std::size_t j = 0; j < data_.continuous.size(); ++j)
      for (std::size_t i = 0; i < data_.rows; ++i) values_[j * data_.rows + i] = data_.continuous[j][i];
    for (std::size_t j = 0; j < data_.continuous.size(); ++j) {
      data_.continuous[j] = {values_.data() + j * data_.rows, 1};
      const Moments own = moments({&data_.continuous[j], 1}, data_.rows);
      variance_.push_back(own.scatter(0, 0) / static_cast<double>(data_.rows));
    }
  }

  std::size_t size() const override { return data_.place.size(); }

  double local(std::size_t child, Nodes parents) override {
    pulse::beat(data_.rows * (1 + parents.size()));
    discrete_parents_.clear();
    columns_.clear();
    configurations_ = 1;
    for (const std::size_t s : parents) {
      if (!data_.is_discrete[s]) {
        columns_.push_back(data_.continuous[data_.place[s]]);
        continue;
      }
      discrete_parents_.push_back(data_.place[s]);
      configurations_ *= static_cast<double>(data_.discrete.arity(data_.place[s]));
    }
    return data_.is_discrete[child] ? discrete(data_.place[child]) : continuous(data_.place[child]);
  }

 private:
  double discrete(std::size_t child) {
    if (!columns_.empty()) return minus_infinity;
    double sum = 0;
    counter_.families(child, discrete_parents_, [&](std::span<const Tally> counts, Tally total) {
      for (const Tally count : counts)
        if (count > 0) sum += count * std::log(static_cast<double>(count) / total);
    });
    return sum - penalty_ * configurations_ * static_cast<double>(data_.discrete.arity(child) - 1);
  }

  double continuous(std::size_t child) {
    const std::size_t k = columns_.size();
    columns_.push_back(data_.continuous[child]);
    group_rows_by_parents();
    double sum = -penalty_ * configurations_ * static_cast<double>(k + 2);
    for (const auto& rows : rows_of_group_) sum += of_group(rows, k, variance_[child]);
    return sum;
  }

  // Splits the groups by one parent after the other; the kernel for counting may keep equal rows once,
  // so its groups are of no use here.
  void group_rows_by_parents() {
    std::vector<std::size_t> group_of_row(data_.rows, 0);
    std::size_t groups = 1;
    for (const std::size_t s : discrete_parents_) {
      const std::size_t levels = data_.discrete.arity(s);
      std::vector<std::size_t> number(groups * levels, no_node);
      groups = 0;
      for (std::size_t row = 0; row < data_.rows; ++row) {
        std::size_t& place = number[group_of_row[row] * levels + data_.codes[s][row]];
        if (place == no_node) place = groups++;
        group_of_row[row] = place;
      }
    }
    rows_of_group_.assign(data_.rows > 0 ? groups : 0, {});
    for (std::size_t row = 0; row < data_.rows; ++row) rows_of_group_[group_of_row[row]].push_back(row);
  }

  double of_group(const std::vector<std::size_t>& rows, std::size_t k, double variance) {
    if (rows.size() <= k + 1) return minus_infinity;
    const Moments group = moments(columns_, Nodes(rows));
    const auto n = static_cast<double>(rows.size());
    const double freedom = n - static_cast<double>(k) - 1;
    const double floor = variance > 0 ? collinear_share * variance * n : 1.0;
    const double rest = std::max(residual_squares(group.scatter, factor_), floor);
    return -0.5 * n * (log_two_pi + std::log(rest / freedom)) - 0.5 * freedom;
  }

  MixedData data_;
  double penalty_;
  Counter counter_;
  std::vector<double> values_;
  std::vector<double> variance_;
  std::vector<std::size_t> discrete_parents_;
  std::vector<ValueColumn> columns_;
  double configurations_ = 1;
  std::vector<std::vector<std::size_t>> rows_of_group_;
  std::vector<double> factor_;
};

}  // namespace

std::unique_ptr<Score> mixed_likelihood(MixedData data, double penalty) {
  return std::make_unique<MixedScore>(std::move(data), penalty);
}

}  // namespace dagathlon
