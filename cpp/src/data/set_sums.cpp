#include "dagathlon/data/set_sums.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/data/rare_values.hpp"

namespace dagathlon {

SetRanks::SetRanks(std::size_t items, std::size_t largest) : items_(items), parts_(largest * items), start_(1, 0) {
  // A member m in place k stands above all sets of k + 1 members below it: m over k + 1 of them.
  for (std::size_t k = 0; k < largest; ++k)
    for (std::size_t m = 1; m < items; ++m)
      parts_[k * items + m] = parts_[k * items + m - 1] + (k == 0 ? 1 : parts_[(k - 1) * items + m - 1]);
  std::size_t of_size = 1;
  for (std::size_t size = 0; size <= largest; ++size) {
    start_.push_back(start_.back() + of_size);
    of_size = size + 1 > items ? 0 : of_size * (items - size) / (size + 1);
  }
}

namespace {

constexpr std::size_t no_block = static_cast<std::size_t>(-1);

// Adds what the counts of one configuration add to the sums of each further column. A column's counts stand
// side by side without that of its commonest level, which follows from the total.
struct Configuration {
  const Tally* counts;
  Tally total;
};

template <std::size_t lanes>
inline __attribute__((always_inline)) void add_numbers(double* to, const double* from) {
  for (std::size_t k = 0; k < lanes; ++k) to[k] += from[k];
}

template <std::size_t lanes>
inline __attribute__((always_inline)) void add_cells(const Configuration& at, std::span<const std::size_t> widths,
                                                     const double* const* tables, double* sums) {
  const Tally* count = at.counts;
  for (std::size_t e = 0; e < widths.size(); ++e) {
    const double* table = tables[e];
    double* sum = sums + e * lanes;
    Tally rest = at.total;
    for (std::size_t x = 0; x < widths[e]; ++x, ++count) {
      rest -= *count;
      add_numbers<lanes>(sum, table + *count * lanes);
    }
    add_numbers<lanes>(sum, table + rest * lanes);
  }
}

using AddCells = void (*)(const Configuration&, std::span<const std::size_t>, const double* const*, double*);

DAGATHLON_WIDE_CLONES void add_four(const Configuration& at, std::span<const std::size_t> widths,
                                    const double* const* tables, double* sums) {
  add_cells<4>(at, widths, tables, sums);
}
DAGATHLON_WIDE_CLONES void add_eight(const Configuration& at, std::span<const std::size_t> widths,
                                     const double* const* tables, double* sums) {
  add_cells<8>(at, widths, tables, sums);
}
DAGATHLON_WIDE_CLONES void add_twelve(const Configuration& at, std::span<const std::size_t> widths,
                                      const double* const* tables, double* sums) {
  add_cells<12>(at, widths, tables, sums);
}
DAGATHLON_WIDE_CLONES void add_sixteen(const Configuration& at, std::span<const std::size_t> widths,
                                       const double* const* tables, double* sums) {
  add_cells<16>(at, widths, tables, sums);
}

DAGATHLON_WIDE_CLONES void subtract_counts(Tally* from, const Tally* row, std::size_t width) {
  for (std::size_t k = 0; k < width; ++k) from[k] -= row[k];
}

// Visits all sets depth first and each after its subsets. In a set only the rows are counted in which every
// column has a rare value; cells of common values follow from those of the subsets by subtraction (as in the
// trees of Moore and Lee 1998). All columns that can be added to a set are counted together.
class SetCounter {
 public:
  SetCounter(const DiscreteData& data, std::size_t largest, std::vector<CellSum> sums)
      : data_(data),
        rare_(data),
        table_(std::move(sums), data.observations()),
        ranks_(data.size(), largest),
        block_start_(largest < 2 ? 0 : ranks_.start(largest - 1), no_block),
        levels_(largest + 1) {
    n_sums_ = table_.sums().size();
    values_.resize(ranks_.count() * n_sums_);
    add_ = table_.lanes() <= 4    ? add_four
           : table_.lanes() <= 8  ? add_eight
           : table_.lanes() <= 12 ? add_twelve
                                  : add_sixteen;
    while (columns_tables_.size() < data.size()) columns_tables_.push_back(nullptr);
    for (std::size_t j = 0; j < data.size(); ++j) widths_.push_back(rare_.width(j));
  }

  SetSums count() {
    Level& root = levels_[0];
    root.rows.resize(rare_.rows());
    for (std::size_t i = 0; i < rare_.rows(); ++i) root.rows[i] = {static_cast<std::uint32_t>(i), 0};
    root.places = {0};
    root.cells = 1;
    root.rare_cells = 1;
    members_.clear();
    empty_set();
    if (ranks_.largest() > 0) visit(0);
    return {std::move(ranks_), {table_.sums().begin(), table_.sums().end()}, std::move(values_)};
  }

 private:
  struct RareRow {
    std::uint32_t row;
    std::uint32_t cell;  // among the cells of rare values
  };

  // What is known of the set that is being visited, for each number of members.
  struct Level {
    std::vector<RareRow> rows;
    // The place in the table of the set of each cell of rare values of each of its subsets: subsets in the
    // order of their bits, one after the other.
    std::vector<std::uint32_t> places;
    std::size_t cells;
    std::size_t rare_cells;
  };

  void empty_set() {
    std::vector<double> sums(table_.lanes(), 0.0);
    table_.evaluate(data_.observations(), 1, sums.data());
    for (std::size_t k = 0; k < n_sums_; ++k) values_[k * ranks_.count()] = sums[k];
  }

  // Counts the sets of the members and one more column, then goes on with each of these, the last first.
  void visit(std::size_t size) {
    const std::size_t first = members_.empty() ? 0 : members_.back() + 1;
    if (first == data_.size()) return;
    pulse::beat(levels_[size].rows.size() + levels_[size].cells);
    count_rare(size, first);
    fill_table(size, first);
    sum_up(size, first);
    if (size + 1 == ranks_.largest()) return;
    for (std::size_t e = data_.size(); e-- > first;) {
      descend(size, e);
      members_.push_back(e);
      visit(size + 1);
      members_.pop_back();
    }
  }

  // The width of a row of counts: the rare levels of all further columns, and the total.
  std::size_t width_from(std::size_t first) const { return rare_.total_width() - rare_.start(first) + 1; }

  void count_rare(std::size_t size, std::size_t first) {
    const Level& level = levels_[size];
    const std::size_t width = width_from(first);
    const std::size_t start = rare_.start(first);
    own_kept_ = size + 2 <= ranks_.largest();
    const std::size_t needed = level.rare_cells * width;
    if (own_kept_) {
      block_start_[ranks_.rank(members_)] = blocks_.size();
      blocks_.resize(blocks_.size() + needed);
    } else {
      own_counts_.assign(needed, 0);
    }
    Tally* counts = own_kept_ ? blocks_.data() + block_start_[ranks_.rank(members_)] : own_counts_.data();
    for (const RareRow& at : level.rows) {
      Tally* row = counts + at.cell * width;
      const Tally weight = rare_.weight(at.row);
      const std::span<const std::uint32_t> values = rare_.of_row(at.row);
      for (std::size_t k = values.size(); k-- > 0 && values[k] >= start;) row[values[k] - start] += weight;
      row[width - 1] += weight;
    }
  }

  // Counts of a subset of the members, from the columns on that follow all members.
  const Tally* counts_of(std::size_t subset, std::size_t size, std::size_t first, std::size_t& width) {
    if (!own_kept_ && subset + 1 == std::size_t{1} << size) {
      width = width_from(first);
      return own_counts_.data();
    }
    chosen_.clear();
    for (std::size_t k = 0; k < size; ++k)
      if ((subset >> k & 1) != 0) chosen_.push_back(members_[k]);
    const std::size_t from = chosen_.empty() ? 0 : chosen_.back() + 1;
    width = width_from(from);
    return blocks_.data() + block_start_[ranks_.rank(chosen_)] + rare_.start(first) - rare_.start(from);
  }

  void fill_table(std::size_t size, std::size_t first) {
    const Level& level = levels_[size];
    const std::size_t width = width_from(first);
    counts_.resize(level.cells * width);
    const std::uint32_t* place = level.places.data();
    for (std::size_t subset = 0; subset < std::size_t{1} << size; ++subset) {
      std::size_t cells = 1;
      for (std::size_t k = 0; k < size; ++k)
        if ((subset >> k & 1) != 0) cells *= rare_.width(members_[k]);
      std::size_t distance = 0;
      const Tally* from = counts_of(subset, size, first, distance);
      for (std::size_t cell = 0; cell < cells; ++cell, ++place, from += distance)
        std::copy_n(from, width, counts_.data() + *place * width);
    }
    take_off_rare(size, width);
  }

  // Where a member has its common value there stands the sum over all its values so far.
  void take_off_rare(std::size_t size, std::size_t width) {
    std::size_t inner = 1;
    for (std::size_t k = size; k-- > 0;) {
      const std::size_t levels = rare_.width(members_[k]) + 1;
      for (std::size_t outer = 0; outer < levels_[size].cells; outer += inner * levels)
        for (std::size_t cell = outer; cell < outer + inner; ++cell) {
          Tally* common = counts_.data() + cell * width;
          for (std::size_t x = 1; x < levels; ++x) {
            const Tally* row = common + x * inner * width;
            if (row[width - 1] > 0) subtract_counts(common, row, width);
          }
        }
      inner *= levels;
    }
  }

  void sum_up(std::size_t size, std::size_t first) {
    const std::size_t n = data_.size() - first;
    const std::size_t lanes = table_.lanes();
    const auto cells = static_cast<double>(levels_[size].cells);
    const std::size_t width = width_from(first);
    for (std::size_t e = 0; e < n; ++e)
      columns_tables_[e] = table_.of_cells(cells * static_cast<double>(widths_[first + e] + 1));
    sums_.assign(n * lanes, 0.0);
    const std::span<const std::size_t> widths(widths_.data() + first, n);
    double singles = 0;
    for (std::size_t cell = 0; cell < levels_[size].cells; ++cell) {
      const Tally* counts = counts_.data() + cell * width;
      const Tally total = counts[width - 1];
      if (total == 1) ++singles;
      else if (total >= table_.limit()) add_large({counts, total}, widths, cells);
      else if (total > 0) add_({counts, total}, widths, columns_tables_.data(), sums_.data());
    }
    std::size_t rank = ranks_.start(size + 1);
    for (std::size_t k = 0; k < size; ++k) rank += ranks_.part(members_[k], k);
    for (std::size_t e = 0; e < n; ++e) {
      double* to = values_.data() + rank + ranks_.part(first + e, size);
      const double* single = columns_tables_[e] + lanes * (table_.limit() > 1 ? 1 : 0);
      for (std::size_t k = 0; k < n_sums_; ++k) to[k * ranks_.count()] = sums_[e * lanes + k] + singles * single[k];
    }
  }

  // The same where a count may be beyond the tables.
  void add_large(const Configuration& at, std::span<const std::size_t> widths, double cells) {
    const std::size_t lanes = table_.lanes();
    const Tally* count = at.counts;
    large_.resize(lanes);
    const auto add = [&](std::size_t e, Tally n) {
      const double* numbers = columns_tables_[e] + n * lanes;
      if (n >= table_.limit()) {
        table_.evaluate(n, cells * static_cast<double>(widths[e] + 1), large_.data());
        numbers = large_.data();
      }
      for (std::size_t k = 0; k < lanes; ++k) sums_[e * lanes + k] += numbers[k];
    };
    for (std::size_t e = 0; e < widths.size(); ++e) {
      Tally rest = at.total;
      for (std::size_t x = 0; x < widths[e]; ++x, ++count) {
        rest -= *count;
        add(e, *count);
      }
      add(e, rest);
    }
  }

  void descend(std::size_t size, std::size_t e) {
    const Level& from = levels_[size];
    Level& to = levels_[size + 1];
    const std::size_t width = rare_.width(e);
    to.cells = from.cells * (width + 1);
    to.rare_cells = from.rare_cells * width;
    to.places.clear();
    for (const std::uint32_t place : from.places) to.places.push_back(static_cast<std::uint32_t>(place * (width + 1)));
    for (const std::uint32_t place : from.places)
      for (std::size_t x = 1; x <= width; ++x) to.places.push_back(static_cast<std::uint32_t>(place * (width + 1) + x));
    to.rows.clear();
    const std::uint8_t* codes = rare_.codes(e);
    for (const RareRow& at : from.rows)
      if (codes[at.row] != 0)
        to.rows.push_back({at.row, static_cast<std::uint32_t>(at.cell * width + codes[at.row] - 1)});
  }

  const DiscreteData& data_;
  RareValues rare_;
  CellTable table_;
  SetRanks ranks_;
  AddCells add_;
  std::size_t n_sums_;
  std::vector<double> values_;
  std::vector<std::size_t> widths_;
  std::vector<std::size_t> members_;
  std::vector<std::size_t> chosen_;
  // For each set that can be a subset of others, where its counts start.
  std::vector<std::size_t> block_start_;
  std::vector<Tally> blocks_;
  std::vector<Tally> own_counts_;
  // Whether the counts of the set that is visited are among the blocks.
  bool own_kept_ = false;
  std::vector<Level> levels_;
  std::vector<Tally> counts_;
  std::vector<double> sums_;
  std::vector<double> large_;
  std::vector<const double*> columns_tables_;
};

}  // namespace

SetAmounts amounts_of(const DiscreteData& data, std::size_t largest) {
  // For the sets of each size: how many, their cells, their cells of rare values.
  std::vector<double> sets(largest + 1, 0.0), cells(largest + 1, 0.0), rare(largest + 1, 0.0), arities;
  sets[0] = cells[0] = rare[0] = 1;
  double width = 1;
  for (std::size_t j = 0; j < data.size(); ++j) {
    arities.push_back(static_cast<double>(data.arity(j)));
    width += arities[j] - 1;
    for (std::size_t size = largest; size > 0; --size) {
      sets[size] += sets[size - 1];
      cells[size] += cells[size - 1] * arities[j];
      rare[size] += rare[size - 1] * (arities[j] - 1);
    }
  }
  std::ranges::sort(arities, std::greater{});
  SetAmounts result{0, 0, 0, width};
  for (std::size_t k = 0; k + 1 < largest; ++k) result.largest_table *= arities[k];
  for (std::size_t size = 0; size <= largest; ++size) {
    result.sets += sets[size];
    result.cells += cells[size];
    if (size + 2 <= largest) result.kept_counts += rare[size] * width;
  }
  return result;
}

bool sets_can_be_counted(const DiscreteData& data, std::size_t largest, std::size_t n_sums) {
  constexpr double most_numbers = 128e6;
  constexpr double most_cells = 1e10;
  constexpr double mean_cells = 4096;
  constexpr double most_counts = 100e6;
  constexpr double largest_table = 16e6;
  if (data.wide() || n_sums > most_sums_at_once || largest > data.size()) return false;
  const SetAmounts found = amounts_of(data, largest);
  return found.sets * static_cast<double>(n_sums) <= most_numbers && found.cells <= most_cells &&
         found.cells <= found.sets * mean_cells && found.kept_counts <= most_counts &&
         found.largest_table <= largest_table;
}

SetSums count_sets(const DiscreteData& data, std::size_t largest, std::vector<CellSum> sums) {
  return SetCounter(data, largest, std::move(sums)).count();
}

}  // namespace dagathlon
