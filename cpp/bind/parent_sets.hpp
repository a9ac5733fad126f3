// The bound lists of parent sets.
#pragma once

#include <cstddef>

#include "dagathlon/score/parent_sets.hpp"

namespace dagathlon {

// A class of its own, so that lists of many thousand sets stay native.
struct Candidates {
  ParentSets sets;
  std::size_t scored;
};

}  // namespace dagathlon
