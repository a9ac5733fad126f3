// Sums and inner products of columns, whose rows may come in parts, in one fixed order.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

constexpr std::size_t lanes = 8;
// Rows that are centred at a time where there are many; whole lanes.
constexpr std::size_t rows_of_part = 4096;
// Multiplications that take longer than starting a thread.
constexpr std::size_t worth_splitting = std::size_t{1} << 24;

double sum_of_lanes(const double* lane);

constexpr std::size_t padded_rows(std::size_t rows) { return (rows + lanes - 1) / lanes * lanes; }

// Columns that meet in registers, each of the first with each of the second.
constexpr std::size_t tile_height = 4;
constexpr std::size_t tile_width = 2;
struct Tile {
  std::array<std::size_t, tile_height> first;
  std::array<std::size_t, tile_width> second;
};

using TileSums = std::array<double, tile_height * tile_width * lanes>;

// Adds inner products of columns, one after the other, whose rows are padded with zeros to whole lanes. Lanes
// are summed at the end only: rows that come in parts give the same digits as all at once.
void add_products(const double* columns, std::size_t padded, const Tile& tile, TileSums& total);

double sum_at(const TileSums& sums, std::size_t r, std::size_t c);

// The inner product of one pair, to the digits of a tile's.
double inner_product(const double* first, const double* second, std::size_t padded);

// Sums of values that come in parts of whole lanes, but for the last.
class LaneSum {
 public:
  template <class ValueAt>
  void add(std::size_t rows, ValueAt value_at) {
    std::size_t i = 0;
    for (; i + lanes <= rows; i += lanes)
      for (std::size_t k = 0; k < lanes; ++k) lane_[k] += value_at(i + k);
    for (std::size_t k = 0; i < rows; ++i, ++k) lane_[k] += value_at(i);
  }
  double total() const { return sum_of_lanes(lane_.data()); }

 private:
  std::array<double, lanes> lane_{};
};

// All pairs of columns, by blocks of columns that stay in the cache while they meet those before them.
class Blocks {
 public:
  Blocks(std::size_t p, std::size_t padded)
      : p_(p),
        padded_(padded),
        width_(std::max<std::size_t>(tile_height, 16384 / padded * 2 / tile_height * tile_height)) {}

  std::size_t count() const { return (p_ + width_ - 1) / width_; }

  // Calls visit(tile) for the tiles of a block. A tile at the edge has its last column several times.
  template <class Visit>
  void each_tile(std::size_t block, Visit&& visit) const {
    Tile tile;
    const std::size_t from = block * width_;
    const std::size_t end = std::min(from + width_, p_);
    for (std::size_t a = 0; a < end; a += tile_height) {
      for (std::size_t r = 0; r < tile_height; ++r) tile.first[r] = std::min(a + r, p_ - 1);
      for (std::size_t b = std::max(from, a); b < end; b += tile_width) {
        pulse::beat(padded_ * tile_height);
        for (std::size_t c = 0; c < tile_width; ++c) tile.second[c] = std::min(b + c, end - 1);
        visit(tile);
      }
    }
  }

 private:
  std::size_t p_;
  std::size_t padded_;
  std::size_t width_;
};

void set_products(const Tile& tile, const TileSums& sums, SymmetricMatrix& scatter);

// Products of deviations from the means, part by part, with the sums of all tiles at hand: what is held does not
// grow with the rows.
class ProductSums {
 public:
  explicit ProductSums(std::size_t p);

  // How many threads find something to do.
  std::size_t most_members() const { return std::max(p_, blocks_.count()); }

  // Rows of value_at(column, row): whole parts, but for the last.
  template <class ValueAt>
  void add(Team& team, std::span<const double> means, std::size_t rows, ValueAt value_at) {
    for (std::size_t start = 0; start < rows; start += rows_of_part) {
      const std::size_t here = std::min(rows_of_part, rows - start);
      team.each(p_, [&](std::size_t j, std::size_t) {
        double* column = centred_.data() + j * rows_of_part;
        for (std::size_t i = 0; i < here; ++i) column[i] = value_at(j, start + i) - means[j];
        std::fill(column + here, column + rows_of_part, 0.0);
      });
      meet(team);
    }
  }

  void write(SymmetricMatrix& scatter) const;

 private:
  void meet(Team& team);

  std::size_t p_;
  Blocks blocks_;
  std::vector<std::vector<TileSums>> sums_;
  std::vector<double> centred_;
};

}  // namespace dagathlon
