// Scores of conditional Gaussian networks: discrete and continuous variables together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

// A continuous node is regressed on its continuous parents in each configuration of its discrete
// ones; a discrete node has discrete parents only, any other family is minus infinity. So is one with
// a configuration that leaves no degree of freedom.
struct MixedData {
  // For each node its place among the discrete or among the continuous columns.
  std::vector<bool> is_discrete;
  std::vector<std::size_t> place;
  DiscreteData discrete;
  // The codes of the discrete columns, observation by observation.
  std::vector<std::vector<std::uint16_t>> codes;
  std::vector<ValueColumn> continuous;
  std::size_t rows;
};

// The log likelihood less a penalty for each free parameter. The values of `continuous` are copied.
std::unique_ptr<Score> mixed_likelihood(MixedData data, double penalty);

}  // namespace dagathlon
