// Hybrid parents and children (Gasse, Aussem and Elghazel 2014).
#pragma once

#include "dagathlon/constraint/neighbourhood.hpp"

namespace dagathlon {

// Two cheap passes leave a superset of the neighbours and of the spouses; IAMB with control of the
// false discovery rate then runs inside it.
NodeVector hybrid_neighbours(IndependenceTest& test, std::size_t x, const NeighbourOptions& options);

}  // namespace dagathlon
