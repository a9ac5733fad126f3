// Tables that were counted before, by their columns: a search asks for the same one in several roles,
// x and y given z, x and z given y.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/data/row_groups.hpp"

namespace dagathlon {

class KeptTables {
 public:
  // Writes the table of these columns, the last running fastest, if it is there.
  bool find(const DiscreteData& data, Nodes columns, std::vector<Tally>& table);
  void keep(Nodes columns, std::span<const Tally> table);

 private:
  struct Table {
    std::vector<std::size_t> columns;
    std::vector<Tally> cells;
  };
  std::uint64_t key_of(Nodes columns);

  std::unordered_map<std::uint64_t, Table> tables_;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> sorted_;
};

}  // namespace dagathlon
