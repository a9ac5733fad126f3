#include "dagathlon/data/inner_products.hpp"

#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

namespace {

// One register of the widest machine, several of the others; memory need not be aligned.
using Lane = double __attribute__((vector_size(lanes * sizeof(double)), aligned(alignof(double)), may_alias));

}  // namespace

double sum_of_lanes(const double* lane) {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

DAGATHLON_WIDE_CLONES void add_products(const double* columns, std::size_t padded, const Tile& tile, TileSums& total) {
  const Lane* first[tile_height];
  const Lane* second[tile_width];
  const auto column = [&](std::size_t j) { return reinterpret_cast<const Lane*>(columns + j * padded); };
  for (std::size_t r = 0; r < tile_height; ++r) first[r] = column(tile.first[r]);
  for (std::size_t c = 0; c < tile_width; ++c) second[c] = column(tile.second[c]);
  Lane sums[tile_height][tile_width];
  Lane* kept = reinterpret_cast<Lane*>(total.data());
  for (std::size_t r = 0; r < tile_height; ++r)
    for (std::size_t c = 0; c < tile_width; ++c) sums[r][c] = kept[r * tile_width + c];
  for (std::size_t i = 0; i < padded / lanes; ++i)
    for (std::size_t r = 0; r < tile_height; ++r)
      for (std::size_t c = 0; c < tile_width; ++c) sums[r][c] += first[r][i] * second[c][i];
  for (std::size_t r = 0; r < tile_height; ++r)
    for (std::size_t c = 0; c < tile_width; ++c) kept[r * tile_width + c] = sums[r][c];
}

double sum_at(const TileSums& sums, std::size_t r, std::size_t c) {
  return sum_of_lanes(sums.data() + (r * tile_width + c) * lanes);
}

DAGATHLON_WIDE_CLONES double inner_product(const double* first, const double* second, std::size_t padded) {
  const Lane* one = reinterpret_cast<const Lane*>(first);
  const Lane* other = reinterpret_cast<const Lane*>(second);
  Lane sums = {};
  for (std::size_t i = 0; i < padded / lanes; ++i) sums += one[i] * other[i];
  return sum_of_lanes(reinterpret_cast<const double*>(&sums));
}

void set_products(const Tile& tile, const TileSums& sums, SymmetricMatrix& scatter) {
  for (std::size_t r = 0; r < tile_height; ++r)
    for (std::size_t c = 0; c < tile_width; ++c) scatter.set(tile.first[r], tile.second[c], sum_at(sums, r, c));
}

ProductSums::ProductSums(std::size_t p)
    : p_(p), blocks_(p, rows_of_part), sums_(blocks_.count()), centred_(p * rows_of_part) {
  for (std::size_t b = 0; b < blocks_.count(); ++b) blocks_.each_tile(b, [&](const Tile&) { sums_[b].emplace_back(); });
}

void ProductSums::meet(Team& team) {
  team.each(blocks_.count(), [&](std::size_t b, std::size_t) {
    auto sum = sums_[b].begin();
    blocks_.each_tile(b, [&](const Tile& tile) { add_products(centred_.data(), rows_of_part, tile, *sum++); });
  });
}

void ProductSums::write(SymmetricMatrix& scatter) const {
  for (std::size_t b = 0; b < blocks_.count(); ++b) {
    auto sum = sums_[b].begin();
    blocks_.each_tile(b, [&](const Tile& tile) { set_products(tile, *sum++, scatter); });
  }
}

}  // namespace dagathlon
