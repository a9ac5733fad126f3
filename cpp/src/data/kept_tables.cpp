#include "dagathlon/data/kept_tables.hpp"

#include <algorithm>

namespace dagathlon {

namespace {

constexpr std::size_t most_bytes = std::size_t{48} << 20;
constexpr std::size_t overhead = 128;

using Strides = std::vector<std::size_t>;

// How far apart neighbouring levels of each column of `to` are in a table of the columns `from`.
Strides strides_of(const DiscreteData& data, Nodes from, Nodes to) {
  Strides result(to.size());
  std::size_t stride = 1;
  for (std::size_t k = from.size(); k-- > 0; stride *= data.stored_arity(from[k]))
    result[static_cast<std::size_t>(std::ranges::find(to, from[k]) - to.begin())] = stride;
  return result;
}

}  // namespace

// Of the set of the columns; whoever finds a table compares the columns themselves.
std::uint64_t KeptTables::key_of(Nodes columns) {
  sorted_.assign(columns.begin(), columns.end());
  std::ranges::sort(sorted_);
  std::uint64_t key = 0;
  for (const std::size_t column : sorted_) key = (key ^ (column + 1)) * 0x9E3779B97F4A7C15ULL;
  return key;
}

bool KeptTables::find(const DiscreteData& data, Nodes columns, std::vector<Tally>& table) {
  const auto found = tables_.find(key_of(columns));
  if (found == tables_.end() || !std::ranges::is_permutation(found->second.columns, columns)) return false;
  const auto& [kept, cells] = found->second;
  if (std::ranges::equal(kept, columns)) {
    table = cells;
    return true;
  }
  table.resize(cells.size());
  const Strides strides = strides_of(data, kept, columns);
  std::vector<std::size_t> digits(columns.size(), 0);
  std::size_t from = 0;
  for (Tally& cell : table) {
    cell = cells[from];
    for (std::size_t k = columns.size(); k-- > 0;) {
      from += strides[k];
      if (++digits[k] < data.stored_arity(columns[k])) break;
      from -= strides[k] * digits[k];
      digits[k] = 0;
    }
  }
  return true;
}

void KeptTables::keep(Nodes columns, std::span<const Tally> table) {
  const std::size_t bytes = table.size_bytes() + overhead;
  if (bytes_ + bytes > most_bytes) {
    tables_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  tables_.insert_or_assign(key_of(columns), Table{{columns.begin(), columns.end()}, {table.begin(), table.end()}});
}

}  // namespace dagathlon
