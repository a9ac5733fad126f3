// Rows grouped by the configuration of some columns.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/graph/nodes.hpp"

namespace dagathlon {

// For every stored row the number of its configuration; numbers follow the order of the
// configurations, and only those that occur have one. A row with a missing value has `no_group`.
struct RowGroups {
  static constexpr Tally no_group = static_cast<Tally>(-1);
  std::vector<Tally> of_row;
  std::size_t count;
};

RowGroups group_rows(const DiscreteData& data, Nodes columns);
// The same, but none where there are more groups than `most`.
std::optional<RowGroups> few_groups(const DiscreteData& data, Nodes columns, std::size_t most);

// The groups by the columns that were asked for lately: searches ask many questions given the same
// columns, and to group many rows takes longer than to count them.
class RecentGroups {
 public:
  const RowGroups& of(const DiscreteData& data, Nodes columns);

 private:
  struct Known {
    std::vector<std::size_t> columns;
    RowGroups groups;
  };
  // The latest first.
  std::list<Known> known_;
};

}  // namespace dagathlon
