// Noise in the cells of a data set. Whether a cell is touched is a function of (seed, stream, row)
// alone: the noise of the first rows does not depend on how many follow, and the cells touched at a
// small rate are among those touched at a larger one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dagathlon {

struct CellNoise {
  std::uint64_t seed;
  std::uint64_t stream;  // decides which cells; stream + 1 decides what they become
  double rate;
};

// Touched cells become `value`. Cells that hold `missing` stay.
template <class Code>
void overwrite(std::span<Code> column, Code value, Code missing, const CellNoise& noise);

// Touched cells become one of the other codes below `levels`, each equally likely. Cells that hold
// `missing` stay, and so does a column of a single level.
template <class Code>
void scramble(std::span<Code> column, std::size_t levels, Code missing, const CellNoise& noise);

// Touched cells become not a number.
void erase(std::span<double> column, const CellNoise& noise);

// Touched cells get the value of an earlier row, each equally likely. The first row has none and
// stays; so do missing cells and cells whose earlier row is missing.
void resample(std::span<double> column, const CellNoise& noise);

}  // namespace dagathlon
