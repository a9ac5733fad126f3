#include "dagathlon/data/row_groups.hpp"

#include <algorithm>
#include <cstdint>

namespace dagathlon {

namespace {

constexpr std::size_t kept_groups = 4;
// Keys below this are numbered by tables that stay in the cache.
constexpr std::uint64_t cached_bound = std::uint64_t{1} << 20;
constexpr std::uint64_t small_bound = std::uint64_t{1} << 14;
constexpr std::uint64_t largest_key = std::uint64_t{1} << 31;

// Numbers the configurations of one column after another. A key of a row is its configuration of the
// columns so far, read as digits from the last time that keys were numbered.
class Grouping {
 public:
  explicit Grouping(const DiscreteData& data) : data_(data), keys_(data.rows()), bound_(data.rows() > 0 ? 1 : 0) {}

  // Leaves it at the groups so far where they are more than `most` already.
  void append(std::size_t column, std::uint64_t most = largest_key) {
    const std::uint64_t arity = data_.arity(column);
    if (bound_ * arity > std::min(cached_bound, largest_table())) number();
    if (groups_ > most) return;
    if (bound_ * arity > largest_table()) return append_by_sorting(column);
    if (data_.wide()) append_digits(data_.wide_codes(column), arity);
    else append_digits(data_.narrow_codes(column), arity);
    bound_ *= arity;
    numbered_ = false;
  }

  // How many groups the columns had when they were numbered last.
  std::uint64_t groups_so_far() const { return groups_; }

  RowGroups finished() {
    number();
    return {std::move(keys_), bound_};
  }

 private:
  // Beyond this, sorting the keys takes less than a table of all possible ones.
  std::uint64_t largest_table() const { return std::clamp(4 * std::uint64_t{data_.rows()}, small_bound, largest_key); }

  template <class Code>
  void append_digits(const Code* codes, std::uint64_t arity) {
    const auto factor = static_cast<Tally>(arity);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const bool usable = keys_[i] != RowGroups::no_group && codes[i] < factor;
      keys_[i] = usable ? keys_[i] * factor + codes[i] : RowGroups::no_group;
    }
  }

  // Gives equal keys equal numbers, in the order of the keys.
  void number() {
    if (numbered_) return;
    numbered_ = true;
    std::vector<Tally> number_of(bound_, RowGroups::no_group);
    for (const Tally key : keys_)
      if (key != RowGroups::no_group) number_of[key] = 0;
    Tally next = 0;
    for (Tally& number : number_of)
      if (number == 0) number = next++;
    if (next < bound_)
      for (Tally& key : keys_)
        if (key != RowGroups::no_group) key = number_of[key];
    bound_ = groups_ = next;
  }

  void append_by_sorting(std::size_t column) {
    const std::uint64_t arity = data_.arity(column);
    const auto usable = [&](std::size_t i) { return keys_[i] != RowGroups::no_group && data_.code(column, i) < arity; };
    const auto wide_key = [&](std::size_t i) { return keys_[i] * arity + data_.code(column, i); };
    std::vector<std::uint64_t> sorted;
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (usable(i)) sorted.push_back(wide_key(i));
    std::ranges::sort(sorted);
    sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
    for (std::size_t i = 0; i < keys_.size(); ++i)
      keys_[i] = usable(i) ? static_cast<Tally>(std::ranges::lower_bound(sorted, wide_key(i)) - sorted.begin())
                           : RowGroups::no_group;
    bound_ = groups_ = sorted.size();
    numbered_ = true;
  }

  const DiscreteData& data_;
  std::vector<Tally> keys_;
  // Keys are below this; as many as there are groups once they are numbered.
  std::uint64_t bound_;
  bool numbered_ = true;
  std::uint64_t groups_ = 0;
};

}  // namespace

RowGroups group_rows(const DiscreteData& data, Nodes columns) {
  Grouping grouping(data);
  for (const std::size_t column : columns) grouping.append(column);
  return grouping.finished();
}

std::optional<RowGroups> few_groups(const DiscreteData& data, Nodes columns, std::size_t most) {
  Grouping grouping(data);
  for (const std::size_t column : columns) {
    grouping.append(column, most);
    if (grouping.groups_so_far() > most) return std::nullopt;
  }
  RowGroups groups = grouping.finished();
  return groups.count > most ? std::nullopt : std::optional(std::move(groups));
}

const RowGroups& RecentGroups::of(const DiscreteData& data, Nodes columns) {
  const auto found =
      std::ranges::find_if(known_, [&](const Known& known) { return std::ranges::equal(known.columns, columns); });
  if (found != known_.end()) {
    known_.splice(known_.begin(), known_, found);
  } else {
    known_.push_front({{columns.begin(), columns.end()}, group_rows(data, columns)});
    if (known_.size() > kept_groups) known_.pop_back();
  }
  return known_.front().groups;
}

}  // namespace dagathlon
