// Count tables of one child with each of many candidate parents added, in few passes over the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/counting.hpp"
#include "dagathlon/discrete_data.hpp"
#include "dagathlon/packed_columns.hpp"

namespace dagathlon {

// Rows of the table are configurations of the parents, in no particular order and some of them
// empty; a row has a count for each level of the child. There must be no missing values.
class CandidateCounts {
 public:
  explicit CandidateCounts(const DiscreteData& data) : data_(data) {}

  // Calls visit(x, table) for every candidate x, with the table of the child given parents and x.
  template <class Visit>
  void each(std::size_t child, Nodes parents, Nodes candidates, Visit&& visit) {
    if (planes_fit(child, parents, candidates)) {
      count_planes(child, parents, candidates);
      for (std::size_t k = 0; k < candidates.size(); ++k) visit(candidates[k], table(k));
      return;
    }
    if (const std::size_t levels = levels_of_bytes(child, parents)) {
      count_bytes(child, parents, candidates, levels);
      for (std::size_t k = 0; k < candidates.size(); ++k) visit(candidates[k], table(k));
      return;
    }
    index_rows(child, parents);
    for (std::size_t k = 0; k < candidates.size(); k += at_once) {
      const Nodes few = candidates.subspan(k, std::min(at_once, candidates.size() - k));
      count_rows(few);
      for (std::size_t i = 0; i < few.size(); ++i) visit(few[i], table(i));
    }
  }

 private:
  static constexpr std::size_t at_once = 4;

  std::span<const Tally> table(std::size_t k) const { return {tables_.data() + start_[k], start_[k + 1] - start_[k]}; }
  void lay_out(Nodes candidates, std::size_t cells);

  bool planes_fit(std::size_t child, Nodes parents, Nodes candidates) const;
  void count_planes(std::size_t child, Nodes parents, Nodes candidates);
  void count_block(Nodes candidates, std::size_t from, std::size_t words);
  void make_masks(std::size_t from, std::size_t words);

  // How many values the bytes have in which candidates are counted together; 0 where that does not pay.
  std::size_t levels_of_bytes(std::size_t child, Nodes parents) const;
  void count_bytes(std::size_t child, Nodes parents, Nodes candidates, std::size_t levels);
  void count_byte(const PackedColumn& packed);
  const std::vector<PackedColumn>& bytes_of(std::size_t levels);

  void index_rows(std::size_t child, Nodes parents);
  void count_rows(Nodes candidates);
  template <class Code>
  void count_rows_of(Nodes candidates);

  // Candidates in bytes: as many of them as possible, and fewer for larger families.
  struct Bytes {
    std::size_t levels;
    std::vector<PackedColumn> columns;
  };

  const DiscreteData& data_;
  std::vector<Bytes> bytes_;
  // Cells of child and parents without a candidate: the distance of a candidate's levels.
  std::size_t cells_ = 0;
  std::vector<std::uint32_t> index_;
  // The cell of each row where there are few.
  std::vector<std::uint16_t> small_index_;
  std::vector<Tally> byte_table_;
  std::vector<std::size_t> start_;
  std::vector<Tally> tables_;
  std::vector<std::size_t> family_;
  std::vector<Word> masks_;
  std::vector<Word> next_masks_;
};

}  // namespace dagathlon
