#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dagathlon/continuous/dagma.hpp"
#include "dagathlon/continuous/orthant_wise.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// A slope that no longer counts, by the spreads of the two columns.
constexpr double slope_tolerance = 1e-6;

// loss + h(W)/μ: with the loss as the unit, tolerances mean the same in all stages.
class Smooth {
 public:
  Smooth(const DagmaData& data, const DagmaStage& stage) : data_(data), stage_(stage), slopes_(data.moments.size()) {}

  std::optional<double> operator()(const SquareMatrix& weights, SquareMatrix& gradient) {
    const std::size_t p = weights.size();
    SquareMatrix matrix = weights;
    for (double& cell : matrix.cells()) cell *= -cell;
    for (std::size_t i = 0; i < p; ++i) matrix(i, i) += stage_.log_determinant_scale;
    const auto inverted = m_matrix_inverse(matrix);
    if (!inverted) return std::nullopt;
    slopes_ = transposed(inverted->matrix);
    const double loss = dagma_loss(data_, weights, gradient), share = 1.0 / stage_.weight_of_loss;
    for (std::size_t i = 0; i < p; ++i) {
      double* row = gradient.row(i);
      for (std::size_t j = 0; j < p; ++j) row[j] += 2.0 * share * weights(i, j) * slopes_(i, j);
      row[i] = 0.0;
    }
    const double full = static_cast<double>(p) * std::log(stage_.log_determinant_scale);
    return loss + share * (full - inverted->log_determinant);
  }

  // One over the second derivatives of the loss, for the logistic one their bound, and of h as if its slopes stayed
  // as they are: in late stages these are what stands in the way of an arc that would close a cycle.
  void scales(std::span<double> to) const {
    const double bend = data_.rows == 0 ? 1.0 : 0.25, share = 1.0 / stage_.weight_of_loss;
    const std::size_t p = slopes_.size(), stride = slopes_.stride();
    std::ranges::fill(to, 1.0);
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j < p; ++j) {
        const double second = bend * data_.moments(i, i) + 2.0 * share * slopes_(i, j);
        if (second > 0.0) to[i * stride + j] = 1.0 / second;
      }
  }

 private:
  const DagmaData& data_;
  const DagmaStage& stage_;
  // Derivatives of h by the squared weights, where it was evaluated last.
  SquareMatrix slopes_;
};

// A slope has the units of two columns: by one number for all, a wide column would end the search for the others.
std::vector<double> slope_units(const SquareMatrix& moments) {
  std::vector<double> result(moments.cells().size(), 1.0);
  for (std::size_t i = 0; i < moments.size(); ++i)
    for (std::size_t j = 0; j < moments.size(); ++j)
      if (const double unit = std::sqrt(moments(i, i) * moments(j, j)); unit > 0.0)
        result[i * moments.stride() + j] = unit;
  return result;
}

}  // namespace

std::optional<double> dagma_smooth(const DagmaData& data, const SquareMatrix& weights, const DagmaStage& stage,
                                   SquareMatrix& gradient) {
  return Smooth(data, stage)(weights, gradient);
}

std::optional<DagmaMinimum> dagma_by_quasi_newton(const DagmaData& data, SquareMatrix start, const DagmaStage& stage,
                                                  double gain, std::size_t most_steps) {
  SquareMatrix weights(start.size()), gradient(start.size());
  Smooth smooth(data, stage);
  if (!smooth(start, gradient)) return std::nullopt;
  std::size_t evaluations = 0;
  const auto value = [&](std::span<const double> point, std::span<double> slopes) {
    pulse::progress(++evaluations);
    std::ranges::copy(point, weights.cells().begin());
    const auto found = smooth(weights, gradient);
    if (!found) return std::numeric_limits<double>::infinity();
    std::ranges::copy(gradient.cells(), slopes.begin());
    return *found;
  };
  const auto scales = [&](std::span<double> to) { smooth.scales(to); };
  const std::vector<double> units = slope_units(data.moments);
  const OrthantWiseLimits limits{gain, slope_tolerance, most_steps, units};
  const std::size_t steps = minimise_orthant_wise(value, stage.sparsity, start.cells(), limits, scales);
  return DagmaMinimum{std::move(start), steps};
}

}  // namespace dagathlon
