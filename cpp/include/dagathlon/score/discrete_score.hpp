// Scores of discrete networks, from one count table each.
//
// A configuration of the parents that was not observed adds nothing to any likelihood, so constant
// columns and levels without a row have a score like all others.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

// Data for each child: children whose rows are the same share them. There are no missing values.
struct ChildCounts {
  std::vector<std::shared_ptr<const DiscreteData>> distinct;
  std::vector<std::size_t> of_child;
};

// The log likelihood less a penalty for each free parameter.
std::unique_ptr<Score> discrete_likelihood(ChildCounts data, double penalty);

// BIC as the package BLIP computes it (2019): not the same for equivalent DAGs.
std::unique_ptr<Score> smoothed_bic(ChildCounts data);

// A Dirichlet marginal likelihood. `uniform` spreads the imaginary sample size over all cells of the
// family, `observed` over those of the parents' configurations that occur, `cell` gives each cell
// that many imaginary observations.
enum class Pseudocount { uniform, observed, cell };
std::unique_ptr<Score> dirichlet_score(ChildCounts data, Pseudocount kind, double size);

// Normalised maximum likelihood of each parent configuration (factorised) or as a quotient.
enum class NormalisedLikelihood { factorised, quotient };
std::unique_ptr<Score> normalised_likelihood(ChildCounts data, NormalisedLikelihood kind);

}  // namespace dagathlon
