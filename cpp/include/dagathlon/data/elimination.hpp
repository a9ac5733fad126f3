// Products of small tables, summed over some of their variables: exact inference by elimination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace dagathlon {

// Up to 64 variables, by their numbers.
using Scope = std::uint64_t;

// A table over the variables of a scope: the one of the highest number runs fastest.
struct Potential {
  Scope scope = 0;
  std::vector<double> cells;
};

// A sum that would need a table of too many cells.
struct TableTooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The product of the potentials, summed over all variables but those to keep, each of which is in some
// potential; `sizes` are the numbers of levels. The variable that makes the smallest table goes first.
Potential eliminated(std::vector<Potential> potentials, Scope keep, std::span<const std::size_t> sizes);

// Divides by the sum, which is returned; a sum of zero changes nothing.
double normalise(std::vector<double>& cells);

}  // namespace dagathlon
