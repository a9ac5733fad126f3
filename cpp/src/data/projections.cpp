#include "dagathlon/data/projections.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dagathlon/data/counting.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t kept_projections = 8;
constexpr std::size_t most_columns = 24;
// With fewer rows a table costs about as much as looking for a projection.
constexpr std::size_t fewest_rows = std::size_t{1} << 14;
// A projection has at most one row for so many of the data.
constexpr std::size_t least_gain = 4;
// Measured costs of making one, in nanoseconds for each row.
constexpr double row_cost = 6;
constexpr double column_cost = 0.7;

using Columns = std::vector<std::size_t>;

bool includes(const Columns& columns, const Columns& part) { return std::ranges::includes(columns, part); }

double price(std::size_t rows, std::size_t columns) {
  return (row_cost + column_cost * static_cast<double>(columns)) * static_cast<double>(rows);
}

std::vector<DiscreteData::Group> distinct_rows(const RowGroups& groups) {
  std::vector<DiscreteData::Group> found(groups.count);
  for (std::size_t row = 0; row < groups.of_row.size(); ++row) {
    DiscreteData::Group& group = found[groups.of_row[row]];
    group.row = row;
    ++group.observations;
  }
  return found;
}

}  // namespace

std::size_t Projection::place(std::size_t column) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(columns, column) - columns.begin());
}

std::vector<std::size_t> Projection::places(Nodes nodes) const {
  std::vector<std::size_t> result;
  for (const std::size_t node : nodes) result.push_back(place(node));
  return result;
}

bool Subject::asked(const Columns& about, bool goes_on, double cost, std::size_t rows) {
  const bool inside = includes(columns, about);
  if (!inside) {
    Columns wider;
    if (goes_on) std::ranges::set_union(columns, about, std::back_inserter(wider));
    if (!goes_on) patience = 1;
    if (!goes_on || wider.size() > most_columns) spent = 0;
    columns = goes_on && wider.size() <= most_columns ? std::move(wider) : about;
  }
  spent += cost;
  // The tables of all subsets are asked for where one is of columns that were there before.
  return inside && columns.size() > 2 && spent >= patience * price(rows, columns.size());
}

void Subject::decline() {
  spent = 0;
  patience *= 2;
}

Projections::Projections(const DiscreteData& data)
    : data_(data), pay_(data.rows() >= fewest_rows && data.weights().empty()) {
  for (std::size_t j = 0; j < data.size(); ++j) pay_ = pay_ && !data.has_missing(j);
}
Projections::~Projections() = default;
Projections::Projections(Projections&&) noexcept = default;

Projection* Projections::covering(std::size_t x, std::size_t y, Nodes given, double cost) {
  if (given.size() + 2 > most_columns) return nullptr;
  columns_.assign(given.begin(), given.end());
  columns_.insert(columns_.end(), {x, y});
  std::ranges::sort(columns_);
  if (Projection* found = known()) return found;
  const bool same_pair = std::minmax(x, y) == std::minmax(x_, y_);
  const bool of_pair = pair_.asked(columns_, same_pair, cost, data_.rows());
  const bool of_target = target_.asked(columns_, same_pair || x == x_, cost, data_.rows());
  x_ = x;
  y_ = y;
  if (of_target)
    if (Projection* found = made(target_)) return found;
  return of_pair ? made(pair_) : nullptr;
}

Projection* Projections::known() {
  const auto found = std::ranges::find_if(known_, [&](const Projection& p) { return includes(p.columns, columns_); });
  if (found == known_.end()) return nullptr;
  known_.splice(known_.begin(), known_, found);
  return &known_.front();
}

Projection* Projections::made(Subject& subject) {
  const auto groups = few_groups(data_, subject.columns, data_.rows() / least_gain);
  subject.decline();
  if (!groups) return nullptr;
  subject.patience = 1;
  known_.push_front({subject.columns, DiscreteData(data_, subject.columns, distinct_rows(*groups)), nullptr});
  known_.front().counter = std::make_unique<Counter>(known_.front().rows);
  if (known_.size() > kept_projections) known_.pop_back();
  return &known_.front();
}

}  // namespace dagathlon
