// Discrete columns laid out for counting: aligned codes, bit planes, and weights of equal rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/data/row_bits.hpp"

namespace dagathlon {

using Tally = std::uint32_t;

// A column in the caller's memory; the distance of its rows is counted in codes.
template <class Code>
struct CodeColumn {
  const Code* codes;
  std::ptrdiff_t row_stride;
};

// Columns ready to be counted, made once per data set. A missing value (the greatest code of the caller's
// type) is kept as one more level, so that counting needs no second way for gaps. When rows repeat
// so often that it pays, equal rows are kept once with their number as weight, unless `merge_rows`
// forbids it because the rows belong to other columns too.
//
// Columns are copied, but for those of bytes without gaps and steps where `memory` keeps the caller's
// array alive: these are used where they are, so that a mapped file is held by nobody twice.
class DiscreteData {
 public:
  // Columns with more stored levels have no planes: they lose against a histogram.
  static constexpr std::size_t max_plane_levels = 16;

  template <class Code>
  DiscreteData(std::span<const CodeColumn<Code>> columns, std::size_t rows, std::vector<std::size_t> arities,
               bool merge_rows = true, std::shared_ptr<const void> memory = nullptr);
  // Columns point into the vectors, whose memory moves with them and is not the same in a copy.
  DiscreteData(const DiscreteData&) = delete;
  DiscreteData& operator=(const DiscreteData&) = delete;
  DiscreteData(DiscreteData&&) = default;
  DiscreteData& operator=(DiscreteData&&) = default;

  // Some columns with equal rows kept once: `groups` are the rows in which all of them are equal, each
  // with a row that is in it and the number of its observations.
  struct Group {
    std::size_t row;
    Tally observations;
  };
  DiscreteData(const DiscreteData& whole, std::span<const std::size_t> columns, std::span<const Group> groups);

  std::size_t size() const { return arities_.size(); }
  // Observations, and the stored rows, which are fewer when equal rows are kept once.
  std::size_t observations() const { return observations_; }
  std::size_t rows() const { return rows_; }
  // Levels of a column; the stored codes have one more where a value is missing.
  std::size_t arity(std::size_t column) const { return arities_[column]; }
  std::size_t stored_arity(std::size_t column) const { return stored_arities_[column]; }
  bool has_missing(std::size_t column) const { return stored_arities_[column] != arities_[column]; }

  bool wide() const { return !wide_.empty(); }
  const std::uint8_t* narrow_codes(std::size_t column) const { return narrow_columns_[column]; }
  const std::uint16_t* wide_codes(std::size_t column) const { return wide_.data() + column * rows_; }
  std::size_t code(std::size_t column, std::size_t row) const {
    return wide() ? wide_codes(column)[row] : narrow_codes(column)[row];
  }

  // How often each stored row was observed; empty when each row is stored as it is.
  std::span<const Tally> weights() const { return weights_; }

  // The rows in which a column has a level, as bits; only for columns that have planes.
  bool has_planes(std::size_t column) const { return plane_start_[column] != no_node; }
  ConstRow plane(std::size_t column, std::size_t level) const {
    const std::size_t words = words_for(rows_);
    return {planes_.data() + plane_start_[column] + level * words, words};
  }

  // The rows as bits, if they suit these; made when somebody first asks, for all threads.
  const RowBits& row_bits() const;

 private:
  struct LateBits {
    std::mutex making;
    std::unique_ptr<const RowBits> bits;
  };

  template <class Code>
  void take_narrow(std::span<const CodeColumn<Code>> columns, bool in_place);
  template <class Code>
  void take_wide(std::span<const CodeColumn<Code>> columns);
  void point_to_own();
  void merge_equal_rows();
  void make_planes();

  std::size_t observations_;
  std::size_t rows_;
  std::vector<std::size_t> arities_;
  std::vector<std::size_t> stored_arities_;
  std::vector<std::uint8_t> narrow_;
  std::vector<const std::uint8_t*> narrow_columns_;
  std::shared_ptr<const void> memory_;
  std::vector<std::uint16_t> wide_;
  std::vector<Tally> weights_;
  std::vector<std::size_t> plane_start_;
  std::vector<Word> planes_;
  std::unique_ptr<LateBits> late_bits_ = std::make_unique<LateBits>();
};

}  // namespace dagathlon
