// Bits that two rows of words have in common, by the widest instructions of the machine.
#pragma once

#include <cstddef>

#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

std::size_t count_common(const Word* a, const Word* b, std::size_t words);

// to = a and b; gives the number of bits.
std::size_t common(const Word* a, const Word* b, Word* to, std::size_t words);

}  // namespace dagathlon
