// Scores of discrete networks from expected counts.
#pragma once

#include <memory>

#include "dagathlon/score/discrete_score.hpp"
#include "dagathlon/data/expected_counts.hpp"

namespace dagathlon {

// Families of more cells are minus infinity: their parameters would not be fitted, and a row with many
// missing values may be in any of the cells.
inline constexpr double most_family_cells = 1e6;

// The log likelihood less a penalty for each free parameter.
std::unique_ptr<Score> expected_likelihood(std::shared_ptr<ExpectedCounts> counts, double penalty);

// A Dirichlet marginal likelihood; not `observed`, since any configuration may have a trace of a row.
std::unique_ptr<Score> expected_dirichlet(std::shared_ptr<ExpectedCounts> counts, Pseudocount kind, double size);

}  // namespace dagathlon
