// Lists of node numbers: a view of the caller's, and one of one's own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dagathlon {

using Nodes = std::span<const std::size_t>;
using NodeVector = std::vector<std::size_t>;

}  // namespace dagathlon
