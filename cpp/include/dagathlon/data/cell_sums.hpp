// Functions of one count, summed over the cells of a contingency table: what discrete scores are made of.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/score/multinomial_regret.hpp"

namespace dagathlon {

// A function of a count that is 0 where nothing was counted.
struct CellSum {
  enum class Kind {
    entropy,   // n log n
    spread,    // log Γ(n + a) - log Γ(a), a = parameter / number of cells
    cell,      // the same with a = parameter
    regret,    // log of the multinomial regret of n observations, parameter = levels
    occupied,  // 1
  };
  Kind kind;
  double parameter = 0;

  bool operator==(const CellSum&) const = default;
};

// Several functions at once: what a count adds to each of their sums, side by side. Values depend on the
// number of cells, observed or not, so that there is a table for each; they are made when asked for.
class CellTable {
 public:
  // Counts from `longest` on are not in the tables: they are few.
  CellTable(std::vector<CellSum> sums, std::size_t observations, std::size_t longest = std::size_t{1} << 15);

  // Numbers that a count adds, rounded up so that they are added in vectors; the last ones are 0.
  std::size_t lanes() const { return lanes_; }
  std::span<const CellSum> sums() const { return sums_; }

  // The first `limit()` counts' numbers, for tables of so many cells.
  const double* of_cells(double cells);
  std::size_t limit() const { return limit_; }

  // The same for a count beyond the limit.
  void evaluate(std::size_t count, double cells, double* values);

 private:
  double value(const CellSum& sum, std::size_t count, double cells);

  std::vector<CellSum> sums_;
  std::size_t lanes_;
  std::size_t limit_;
  MultinomialRegret regret_;
  std::unordered_map<double, std::vector<double>> tables_;
};

}  // namespace dagathlon
