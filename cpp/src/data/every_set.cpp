#include "dagathlon/data/every_set.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Larger counts are so few, and there are so many numbers of cells, that longer tables do not pay.
constexpr std::size_t longest_table = std::size_t{1} << 12;

// The different rows of the data, and of the columns from each one on: the row of the next column on that a
// row belongs to, and its code in the column. Rows are numbered so that those of one next row are neighbours.
struct Suffixes {
  std::vector<std::uint32_t> next;
  std::vector<std::uint32_t> code;
};

struct DistinctRows {
  std::vector<Suffixes> of_column;
  std::vector<Tally> weights;
};

// The last column in the order is compared first.
DistinctRows distinct_rows(const DiscreteData& data, Nodes order) {
  std::vector<std::size_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::sort(rows, [&](std::size_t a, std::size_t b) {
    pulse::beat();
    for (std::size_t d = order.size(); d-- > 0;)
      if (data.code(order[d], a) != data.code(order[d], b)) return data.code(order[d], a) < data.code(order[d], b);
    return false;
  });
  // How many of the columns, from the first on, must be left out for a row to be like the one before.
  std::vector<std::size_t> differs(rows.size(), 0);
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t d = order.size(); d-- > 0 && differs[i] == 0;)
      if (data.code(order[d], rows[i]) != data.code(order[d], rows[i - 1])) differs[i] = d + 1;
  DistinctRows result{std::vector<Suffixes>(order.size()), {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Tally weight = data.weights().empty() ? 1 : data.weights()[rows[i]];
    if (i == 0 || differs[i] > 0) result.weights.push_back(weight);
    else result.weights.back() += weight;
    for (std::size_t d = 0; d < order.size(); ++d) {
      if (i > 0 && differs[i] <= d) break;
      Suffixes& suffixes = result.of_column[d];
      const bool is_new = i > 0 && differs[i] > d + 1;
      suffixes.next.push_back(suffixes.next.empty() ? 0 : suffixes.next.back() + (is_new ? 1 : 0));
      suffixes.code.push_back(static_cast<std::uint32_t>(data.code(order[d], rows[i])));
    }
  }
  return result;
}

template <std::size_t lanes>
inline __attribute__((always_inline)) void add_counts(const Tally* counts, std::size_t n, const double* table,
                                                      std::size_t limit, double* sums) {
  double total[lanes] = {};
  for (std::size_t i = 0; i < n; ++i) {
    if (counts[i] >= limit) continue;
    const double* numbers = table + counts[i] * lanes;
    for (std::size_t k = 0; k < lanes; ++k) total[k] += numbers[k];
  }
  for (std::size_t k = 0; k < lanes; ++k) sums[k] += total[k];
}

DAGATHLON_WIDE_CLONES void add_counts_of(std::size_t lanes, const Tally* counts, std::size_t n, const double* table,
                                         std::size_t limit, double* sums) {
  switch (lanes) {
    case 4: return add_counts<4>(counts, n, table, limit, sums);
    case 8: return add_counts<8>(counts, n, table, limit, sums);
    case 12: return add_counts<12>(counts, n, table, limit, sums);
    default: return add_counts<16>(counts, n, table, limit, sums);
  }
}

// Decides column after column whether it is in the set. Rows that differ in columns left out alone become
// one; a row that nothing can join any more is only counted.
class SetRefiner {
 public:
  SetRefiner(const DiscreteData& data, std::size_t largest, std::vector<CellSum> sums)
      : data_(data),
        order_(ordered(data)),
        rows_(distinct_rows(data, order_)),
        table_(std::move(sums), data.observations(), longest_table),
        ranks_(data.size(), largest),
        levels_(data.size() + 1) {
    n_sums_ = table_.sums().size();
    values_.resize(ranks_.count() * n_sums_);
    for (Level& level : levels_) level.reserve(rows_.weights.size());
  }

  SetSums count() {
    Level& first = levels_[0];
    first.groups = 1;
    first.count = rows_.weights.size();
    std::iota(first.row.begin(), first.row.end(), std::uint32_t{0});
    first.weight = rows_.weights;
    visit(0);
    return {std::move(ranks_), {table_.sums().begin(), table_.sums().end()}, std::move(values_)};
  }

 private:
  // Rows as the columns so far tell them apart: which row of the columns to come, which configuration of the
  // columns in the set, how often.
  struct Level {
    // Of the room that there is for all rows the first `count` places are used.
    std::vector<std::uint32_t> row;
    std::vector<std::uint32_t> group;
    std::vector<Tally> weight;
    std::size_t count = 0;
    std::size_t groups = 0;
    // Configurations that were observed once and are not among the rows.
    std::size_t singles = 0;

    std::span<const Tally> weights() const { return {weight.data(), count}; }
    void reserve(std::size_t rows) {
      row.resize(rows);
      group.resize(rows);
      weight.resize(rows);
    }
  };

  // Columns that tell few rows apart come last: the fewer rows are carried on.
  static std::vector<std::size_t> ordered(const DiscreteData& data) {
    std::vector<std::size_t> order(data.size());
    std::vector<double> commonest(data.size());
    for (std::size_t j = 0; j < data.size(); ++j) {
      order[j] = j;
      std::vector<double> found(data.arity(j), 0.0);
      for (std::size_t i = 0; i < data.rows(); ++i)
        found[data.code(j, i)] += data.weights().empty() ? 1.0 : static_cast<double>(data.weights()[i]);
      for (const double n : found) commonest[j] += n * n;
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t j) { return commonest[j]; });
    return order;
  }

  void visit(std::size_t depth) {
    const Level& level = levels_[depth];
    pulse::beat(level.count);
    if (depth == order_.size()) return sum_up(level.weights(), level.singles);
    if (members_.size() == ranks_.largest()) {
      group_weights(level);
      return sum_up(of_group_, level.singles);
    }
    if (depth + 1 == order_.size()) return last(level);
    leave_out(depth);
    visit(depth + 1);
    take_in(depth);
    members_.push_back(order_[depth]);
    visit(depth + 1);
    members_.pop_back();
  }

  // Both sets that differ in the last column.
  void last(const Level& level) {
    group_weights(level);
    sum_up(of_group_, level.singles);
    members_.push_back(order_.back());
    sum_up(level.weights(), level.singles);
    members_.pop_back();
  }

  void group_weights(const Level& level) {
    of_group_.assign(level.groups, 0);
    for (std::size_t i = 0; i < level.count; ++i) of_group_[level.group[i]] += level.weight[i];
  }

  void leave_out(std::size_t depth) {
    const Level& from = levels_[depth];
    Level& to = levels_[depth + 1];
    const std::uint32_t* next = rows_.of_column[depth].next.data();
    to.groups = from.groups;
    to.singles = from.singles;
    place_.resize(std::max(place_.size(), from.groups), 0);
    std::uint32_t* const row = to.row.data();
    std::uint32_t* const group = to.group.data();
    Tally* const weight = to.weight.data();
    std::size_t count = 0;
    std::size_t block = 0;
    for (std::size_t i = 0; i < from.count; ++i) {
      const std::uint32_t r = next[from.row[i]];
      if (count > 0 && row[count - 1] != r) block = count;
      const std::uint32_t g = from.group[i];
      // A place that an earlier set has left behind is that of another row or group.
      const std::size_t place = place_[g];
      if (place >= block && place < count && group[place] == g) {
        weight[place] += from.weight[i];
        continue;
      }
      place_[g] = static_cast<std::uint32_t>(count);
      row[count] = r;
      group[count] = g;
      weight[count++] = from.weight[i];
    }
    to.count = count;
  }

  void take_in(std::size_t depth) {
    const Level& from = levels_[depth];
    Level& to = levels_[depth + 1];
    const Suffixes& suffixes = rows_.of_column[depth];
    const std::size_t levels = data_.arity(order_[depth]);
    rows_of_key_.assign(from.groups * levels, 0);
    keys_.resize(rows_.weights.size());
    for (std::size_t i = 0; i < from.count; ++i)
      ++rows_of_key_[keys_[i] = static_cast<std::uint32_t>(from.group[i] * levels + suffixes.code[from.row[i]])];
    number_.assign(from.groups * levels, none);
    to.singles = from.singles;
    std::uint32_t groups = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < from.count; ++i) {
      const std::uint32_t k = keys_[i];
      if (rows_of_key_[k] == 1 && from.weight[i] == 1) {
        ++to.singles;
        continue;
      }
      if (number_[k] == none) number_[k] = groups++;
      to.row[count] = suffixes.next[from.row[i]];
      to.group[count] = number_[k];
      to.weight[count++] = from.weight[i];
    }
    to.groups = groups;
    to.count = count;
  }

  void sum_up(std::span<const Tally> counts, std::size_t singles) {
    double cells = 1;
    for (const std::size_t x : members_) cells *= static_cast<double>(data_.arity(x));
    const double* table = table_.of_cells(cells);
    const std::size_t lanes = table_.lanes();
    sums_.assign(lanes, 0.0);
    add_counts_of(lanes, counts.data(), counts.size(), table, table_.limit(), sums_.data());
    if (data_.observations() >= table_.limit()) {
      large_.resize(lanes);
      for (const Tally n : counts) {
        if (n < table_.limit()) continue;
        table_.evaluate(n, cells, large_.data());
        for (std::size_t k = 0; k < n_sums_; ++k) sums_[k] += large_[k];
      }
    }
    sorted_.assign(members_.begin(), members_.end());
    std::ranges::sort(sorted_);
    double* to = values_.data() + ranks_.rank(sorted_);
    for (std::size_t k = 0; k < n_sums_; ++k)
      to[k * ranks_.count()] = sums_[k] + (singles == 0 ? 0.0 : static_cast<double>(singles) * table[lanes + k]);
  }

  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  const DiscreteData& data_;
  std::vector<std::size_t> order_;
  DistinctRows rows_;
  CellTable table_;
  SetRanks ranks_;
  std::size_t n_sums_;
  std::vector<Level> levels_;
  std::vector<double> values_;
  std::vector<std::size_t> members_;
  std::vector<std::size_t> sorted_;
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> rows_of_key_;
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> number_;
  std::vector<Tally> of_group_;
  std::vector<double> sums_;
  std::vector<double> large_;
};

}  // namespace

SetSums count_every_set(const DiscreteData& data, std::size_t largest, std::vector<CellSum> sums) {
  return SetRefiner(data, largest, std::move(sums)).count();
}

}  // namespace dagathlon
