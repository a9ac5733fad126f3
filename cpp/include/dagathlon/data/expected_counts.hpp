// Expected counts of discrete families where values are missing, under a network.
//
// Given what is known in a row, its missing values fall apart into groups that are independent of each
// other: the connected parts of the moral graph without the known variables. With a moderate share of
// missing values the groups are small, so that the distribution of any few of them is exact and cheap.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/data/elimination.hpp"

namespace dagathlon {

// Codes column by column; `missing` stands for a missing value.
struct IncompleteData {
  static constexpr std::uint16_t missing = 0xFFFF;
  std::vector<std::vector<std::uint16_t>> columns;
  std::vector<std::size_t> arities;
  std::size_t rows;
};

// The distribution of a node: its parents, and a table in which the last parent runs slower only than
// the node itself.
struct Conditional {
  std::vector<std::size_t> parents;
  std::vector<double> table;
};

class ExpectedCounts {
 public:
  // Throws TableTooLarge where the missing values of a row are too many.
  ExpectedCounts(std::shared_ptr<const IncompleteData> data, const std::vector<Conditional>& network);

  const IncompleteData& data() const { return *data_; }

  // The logarithm of the probability of all that is known.
  double log_likelihood() const { return log_likelihood_; }

  // Adds the expected number of rows in each cell of the family to `cells`: parents in their order,
  // the child runs fastest. The table has a cell for every combination.
  void add_counts(std::size_t child, Nodes parents, std::vector<double>& cells);

  // The same for families with very many combinations: only parents' configurations that may occur.
  void add_sparse_counts(std::size_t child, Nodes parents, std::vector<double>& cells);

 private:
  // Missing values of a row that depend on each other.
  struct Group {
    std::vector<std::size_t> variables;
    std::vector<std::size_t> sizes;
    std::vector<Potential> potentials;
    // Columns of each potential, until all are known and have numbers in the group.
    std::vector<std::vector<std::size_t>> scopes;
    // The distribution of each variable by itself, and of others together that were asked for.
    std::vector<std::vector<double>> singles;
    std::unordered_map<Scope, std::vector<double>> known;
  };
  // A node's table at the known values of a row: the columns that are open, and a cell for each
  // combination of their levels.
  struct Slice {
    std::vector<std::size_t> open;
    std::vector<double> cells;
  };
  // Where a missing value of a row is: its group, and its number there.
  struct Open {
    std::size_t variable;
    std::size_t group;
    std::size_t local;
  };
  struct Row {
    std::size_t number;
    std::vector<Group> groups;
    std::vector<Open> open;
  };
  // A missing value of a family, with the distance of its levels in the table.
  struct Member {
    std::size_t group;
    std::size_t local;
    std::uint64_t step;
    auto operator<=>(const Member&) const = default;
  };
  struct Place {
    std::uint64_t cell;
    double weight;
  };

  Row grouped(std::size_t row, const std::vector<Conditional>& network);
  Slice sliced(std::size_t row, std::size_t child, const Conditional& given) const;
  void add_potential(std::vector<Group>& groups, Slice slice);
  void settle(Group& group);
  const std::vector<double>& marginal(Group& group, Scope scope);
  template <class Add>
  void visit(std::size_t child, Nodes parents, Add&& add);
  std::uint64_t known_cell(const Row& row, Nodes family, const std::vector<std::uint64_t>& steps);
  void spread(Group& group, std::span<const Member> members);

  std::shared_ptr<const IncompleteData> data_;
  std::vector<std::size_t> complete_;
  std::vector<Row> incomplete_;
  std::vector<Member> members_;
  std::vector<Place> places_;
  std::vector<Place> next_;
  double log_likelihood_ = 0;
};

}  // namespace dagathlon
