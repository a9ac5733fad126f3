// Conditional mutual information by nearest neighbours, with local permutations (Runge 2018).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/test/permutation_test.hpp"

namespace dagathlon {

// A column as its distances need it: ranks of numbers, or codes of levels.
struct RankColumn {
  std::vector<std::uint16_t> places;
  bool discrete;
};

// Distances are the largest over the columns: of ranks, or zero and the number of rows for equal and
// other levels. Where no two rows are equal in a column the estimate is that of Frenzel and Pompe
// (2007), otherwise that of Mesner and Shalizi (2021), with neighbours among rows of the same levels. Permuted values
// of x come from rows that are near in the given variables. Memory is quadratic in the number of rows.
class NeighbourTest : public PermutationTest {
 public:
  NeighbourTest(std::vector<RankColumn> columns, std::size_t rows, PermutationOptions options);
  std::size_t size() const override { return columns_.size(); }

 protected:
  Observed observe(std::size_t x, std::size_t y, Nodes given) override;
  double permuted(Stream& random) override;

 private:
  using Distance = std::uint16_t;

  void widen(const RankColumn& column, std::size_t row, Distance* distances) const;
  void find_near_rows();
  double estimate();
  double row_terms(std::size_t row, Distance* to_xz, Distance* to_all) const;
  // The radius of so many rows, the row itself among them.
  Distance smallest_with(const Distance* distances, std::size_t wanted) const;
  std::size_t within(const Distance* distances, Distance limit) const;
  bool tied(const RankColumn& column) const;

  std::vector<RankColumn> columns_;
  std::size_t rows_;
  std::size_t neighbours_;
  std::vector<bool> constant_;
  std::vector<bool> has_ties_;
  std::vector<double> digamma_;
  // Of the test at hand: distances in the given variables, in y and them, and x as it is permuted.
  bool ties_ = false;
  bool conditional_ = false;
  std::vector<Distance> to_given_;
  std::vector<Distance> to_y_;
  RankColumn x_{{}, false};
  std::vector<std::uint16_t> original_;
  std::vector<std::vector<std::uint16_t>> near_;
  std::vector<std::uint16_t> sequence_;
};

}  // namespace dagathlon
