// The counts of all columns in each configuration of a few. One pass over many rows gives them, and with them the
// tables of all subsets of the few with any other column: a search over families asks for hundreds of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "dagathlon/data/bit_sums.hpp"
#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/data/row_bits.hpp"
#include "dagathlon/data/row_groups.hpp"

namespace dagathlon {

class SetCounts {
 public:
  // What is left of the counts when some of the few columns are summed out.
  struct Sums {
    // Configurations of the columns that stay.
    std::size_t cells;
    // For each: the observations, and the places of RowBits.
    std::size_t width;
    std::vector<Tally> counts;

    const Tally* cell(std::size_t k) const { return counts.data() + k * width; }
  };

  // What is kept is limited in all: `sharers` of the same kind, one for each part of the rows, have a share each.
  explicit SetCounts(const DiscreteData& data, std::size_t sharers = 1)
      : data_(data), sharers_(sharers), suit_(RowBits::suit(data)) {}

  // Whether some tables are counted in this way, and those of so many cells (without the levels of the other column).
  bool suit() const { return suit_; }
  bool counts(std::size_t cells);
  // The counts in each configuration of `columns`, read as digits of which the last runs fastest. Where they are
  // not among those that were counted before, others that are `likely` to be asked for soon, with these, are added.
  const Sums& of(Nodes columns, Nodes likely);
  // The observations in each configuration, where they follow from what was counted before.
  bool totals(Nodes columns, std::vector<Tally>& table);
  // Where the counts of the first level of a column stand in a cell; the last level has the rest.
  std::size_t place(std::size_t column) const { return bits_->place(column); }

 private:
  struct Kept {
    std::vector<std::size_t> columns;
    BitSet members;
    std::size_t cells;
    // The configurations that occur, and their counts.
    std::vector<std::uint16_t> observed;
    std::vector<Tally> counts;

    std::size_t bytes() const { return counts.size() * sizeof(Tally) + observed.size() * sizeof(std::uint16_t); }
  };

  std::size_t cells_of(Nodes columns) const;
  std::size_t most_speculative_cells() const;
  std::size_t most_bytes() const;
  Kept* known(Nodes columns);
  std::vector<std::size_t> widened(Nodes columns, Nodes likely) const;
  Kept& counted(std::vector<std::size_t> columns);
  void index_rows(Nodes columns, std::size_t start, std::span<std::uint16_t> index) const;
  // Calls visit(configuration of `columns`, number of a configuration that occurs) for all that do.
  template <class Visit>
  void each(const Kept& kept, Nodes columns, Visit&& visit) const;

  const DiscreteData& data_;
  std::size_t sharers_;
  bool suit_;
  const RowBits* bits_ = nullptr;
  BitSums adder_;
  // The latest used first.
  std::list<Kept> kept_;
  std::size_t bytes_ = 0;
  Sums sums_{};
};

}  // namespace dagathlon
