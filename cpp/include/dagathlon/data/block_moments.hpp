// Moments of rows that are not all at hand: they come in blocks, three times over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/data/inner_products.hpp"

namespace dagathlon {

// The digits are those of moments(): sums, then what their rounding has lost, then products of deviations from the
// means, each in the same order of the rows. Hence the three passes.
class BlockMoments {
 public:
  explicit BlockMoments(std::size_t columns);
  // Goes on behind the first pass, with what means() were then.
  BlockMoments(std::vector<double> means, std::size_t rows);

  // The next rows of this pass. All blocks but the last of a pass have a multiple of rows_of_block rows.
  void add(std::span<const ValueColumn> columns, std::size_t rows);
  // Ends a pass over all rows; whether another one is needed.
  bool next_pass();
  const std::vector<double>& means() const { return means_; }
  // After the last pass.
  Moments finished() const;

  static constexpr std::size_t rows_of_block = rows_of_part;

 private:
  enum class Pass : std::uint8_t { sums, rests, products, over };

  Pass pass_ = Pass::sums;
  std::size_t rows_ = 0;
  std::size_t passed_ = 0;
  bool ended_ = false;
  std::vector<LaneSum> sums_;
  std::vector<double> means_;
  ProductSums products_;
};

// The moments of some of the columns, in this order.
Moments selected(const Moments& moments, Nodes columns);

}  // namespace dagathlon
