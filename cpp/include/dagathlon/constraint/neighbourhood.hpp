// The parents and children of a node from independence tests, without directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "dagathlon/constraint/markov_blanket.hpp"

namespace dagathlon {

enum class NeighbourSearch : std::uint8_t {
  max_min,  // adds the variable whose weakest association is strongest (MMPC, Tsamardinos et al. 2006)
  hiton,    // tries variables in the order of their association (SI-HITON-PC, Aliferis et al. 2010)
  hybrid    // IAMB-FDR inside a superset of neighbours and spouses (HPC, Gasse et al. 2014)
};

struct NeighbourOptions {
  NeighbourSearch search = NeighbourSearch::max_min;
  double alpha = 0.05;
  // Largest number of variables to condition on.
  std::size_t max_given = no_node;
  // Pairs that are always, and never, adjacent; symmetric.
  BitMatrix required;
  BitMatrix forbidden;

  bool always(std::size_t x, std::size_t y) const { return required.size() != 0 && required.test(x, y); }
  bool never(std::size_t x, std::size_t y) const { return forbidden.size() != 0 && forbidden.test(x, y); }
};

NodeVector neighbourhood(IndependenceTest& test, std::size_t x, const NeighbourOptions& options);

// Calls visit(subset) for the subsets with `smallest` to `largest` members, small ones first, until it
// says true; tells whether it did.
bool any_subset_of(Nodes nodes, std::size_t smallest, std::size_t largest, const std::function<bool(Nodes)>& visit);

// Whether a subset with `smallest` members or more, up to the limit of the options, makes x and y independent.
bool separable(IndependenceTest& test, std::size_t x, std::size_t y, Nodes nodes, std::size_t smallest,
               const NeighbourOptions& options);

}  // namespace dagathlon
