#include "dagathlon/exact/family_program.hpp"

#include <algorithm>
#include <utility>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Less of a parent set is rounding of the linear program.
constexpr double least_share = 1e-7;

// What a parent set counts in a cut.
class Counting {
 public:
  Counting(const Cut& cut, std::size_t nodes) : cut_(cut), place_(nodes, no_node) {
    for (std::size_t i = 0; i < cut.nodes.size(); ++i) place_[cut.nodes[i]] = i;
  }

  std::size_t place(std::size_t node) const { return place_[node]; }

  double of(std::size_t child, const std::vector<std::size_t>& parents) const {
    std::size_t inside = 0;
    if (cut_.table.empty()) {
      for (const std::size_t x : parents) inside += place_[x] != no_node;
      return inside >= cut_.need;
    }
    for (const std::size_t x : parents)
      if (place_[x] != no_node) inside |= std::size_t{1} << place_[x];
    return cut_.table[place_[child] << cut_.nodes.size() | inside];
  }

 private:
  const Cut& cut_;
  std::vector<std::size_t> place_;
};

// The most frequent value, the least of several.
double usual(std::vector<double> values) {
  std::ranges::sort(values);
  double result = 0;
  std::size_t most = 0;
  for (std::size_t k = 0; k < values.size();) {
    const auto [first, last] = std::ranges::equal_range(values, values[k]);
    const auto count = static_cast<std::size_t>(last - first);
    if (count > most) {
      most = count;
      result = values[k];
    }
    k += count;
  }
  return result;
}

}  // namespace

FamilyProgram::FamilyProgram(const ParentSets& sets) : nodes_(sets.size()), of_node_(sets.size()) {
  for (std::size_t child = 0; child < sets.size(); ++child)
    for (const ParentSet& set : sets[child]) {
      of_node_[child].push_back(options_.size());
      options_.push_back({child, set.parents, sets[child][0].score - set.score});
    }
}

void FamilyProgram::keep(std::span<const bool> kept) {
  std::vector<Option> left;
  for (auto& own : of_node_) own.clear();
  for (std::size_t k = 0; k < options_.size(); ++k) {
    if (!kept[k]) continue;
    of_node_[options_[k].child].push_back(left.size());
    left.push_back(std::move(options_[k]));
  }
  options_ = std::move(left);
}

std::vector<Share> FamilyProgram::shares(std::span<const double> values) const {
  std::vector<Share> result;
  for (std::size_t k = 0; k < options_.size(); ++k)
    if (values[k] > least_share) result.push_back({options_[k].child, options_[k].parents, values[k]});
  return result;
}

std::vector<std::size_t> FamilyProgram::separate(std::span<const double> values, std::size_t most) {
  const std::vector<Share> terms = shares(values);
  std::vector<std::size_t> result;
  const auto take = [&](std::vector<Violated> found) {
    for (Violated& violated : found) result.push_back(add(std::move(violated.cut)));
  };
  for (const std::vector<std::size_t>& group : linked_groups(nodes_, terms)) {
    if (group.size() < 2) continue;
    take(violated_clusters(group, terms, 1, most));
    take(violated_clusters(group, terms, 2, most));
    take(violated_facets(group, terms, most));
  }
  return result;
}

std::vector<std::size_t> FamilyProgram::separate_hulls(std::span<const double> values, std::size_t size,
                                                       std::size_t most) {
  std::vector<std::size_t> result;
  for (Violated& violated : violated_hulls(nodes_, shares(values), size, most))
    result.push_back(add(std::move(violated.cut)));
  return result;
}

FamilyProgram::Row FamilyProgram::row_of(Cut cut) const {
  const Counting counting(cut, nodes_);
  double most = cut.most;
  std::vector<double> spared;
  for (const std::size_t child : cut.nodes) {
    std::vector<double> counts;
    for (const std::size_t k : of_node_[child]) counts.push_back(counting.of(child, options_[k].parents));
    spared.push_back(usual(std::move(counts)));
    most -= spared.back();
  }
  return {std::move(cut), most, std::move(spared)};
}

std::size_t FamilyProgram::add(Cut cut) {
  const auto [entry, is_new] = places_.emplace(cut, cuts_.size());
  if (is_new) cuts_.push_back(row_of(std::move(cut)));
  return entry->second;
}

Entries FamilyProgram::rows(std::span<const std::size_t> cuts, std::span<const int> places) const {
  Entries result;
  for (const std::size_t cut : cuts) {
    pulse::beat(options_.size());
    const Row& row = cuts_[cut];
    const Counting counting(row.cut, nodes_);
    result.starts.push_back(static_cast<int>(result.places.size()));
    for (std::size_t i = 0; i < row.cut.nodes.size(); ++i) {
      if (row.spared[i] != 0) {
        result.places.push_back(static_cast<int>(row.cut.nodes[i]));
        result.values.push_back(-row.spared[i]);
      }
      for (const std::size_t k : of_node_[row.cut.nodes[i]]) {
        if (places[k] < 0) continue;
        const double value = counting.of(row.cut.nodes[i], options_[k].parents) - row.spared[i];
        if (value == 0) continue;
        result.places.push_back(places[k]);
        result.values.push_back(value);
      }
    }
  }
  return result;
}

Entries FamilyProgram::columns(std::span<const int> columns, std::span<const std::size_t> cuts) const {
  std::vector<Counting> counting;
  std::vector<std::vector<std::size_t>> of_node(nodes_);
  for (std::size_t r = 0; r < cuts.size(); ++r) {
    counting.emplace_back(cuts_[cuts[r]].cut, nodes_);
    for (const std::size_t x : cuts_[cuts[r]].cut.nodes) of_node[x].push_back(r);
  }
  Entries result;
  for (const int column : columns) {
    pulse::beat();
    const Option& option = options_[static_cast<std::size_t>(column)];
    result.starts.push_back(static_cast<int>(result.places.size()));
    result.places.push_back(static_cast<int>(option.child));
    result.values.push_back(1);
    for (const std::size_t r : of_node[option.child]) {
      const Row& row = cuts_[cuts[r]];
      const double value = counting[r].of(option.child, option.parents) - row.spared[counting[r].place(option.child)];
      if (value == 0) continue;
      result.places.push_back(static_cast<int>(nodes_ + r));
      result.values.push_back(value);
    }
  }
  return result;
}

std::vector<double> FamilyProgram::reduced(std::span<const double> prices, std::span<const std::size_t> cuts) const {
  std::vector<double> result;
  for (const Option& option : options_) result.push_back(option.loss - prices[option.child]);
  for (std::size_t r = 0; r < cuts.size(); ++r) {
    const double price = prices[nodes_ + r];
    if (price == 0) continue;
    pulse::beat(options_.size());
    const Row& row = cuts_[cuts[r]];
    const Counting counting(row.cut, nodes_);
    for (std::size_t i = 0; i < row.cut.nodes.size(); ++i)
      for (const std::size_t k : of_node_[row.cut.nodes[i]])
        result[k] -= price * (counting.of(row.cut.nodes[i], options_[k].parents) - row.spared[i]);
  }
  return result;
}

std::vector<double> FamilyProgram::arcs(std::span<const double> values) const {
  std::vector<double> result(nodes_ * nodes_);
  for (std::size_t k = 0; k < options_.size(); ++k)
    if (values[k] > least_share)
      for (const std::size_t x : options_[k].parents) result[x * nodes_ + options_[k].child] += values[k];
  return result;
}

std::vector<int> FamilyProgram::excluded(std::span<const ArcDecision> decisions) const {
  BitMatrix required(nodes_);
  BitMatrix forbidden(nodes_);
  for (const ArcDecision& d : decisions) (d.present ? required : forbidden).set(d.parent, d.child);
  BitMatrix leads = required;
  for (std::size_t middle = 0; middle < nodes_; ++middle)
    for (std::size_t x = 0; x < nodes_; ++x)
      if (leads.test(x, middle)) unite(leads[x], leads[middle]);
  std::vector<std::size_t> demanded(nodes_);
  for (std::size_t child = 0; child < nodes_; ++child)
    for (std::size_t x = 0; x < nodes_; ++x) demanded[child] += required.test(x, child);
  std::vector<int> result;
  for (std::size_t k = 0; k < options_.size(); ++k) {
    const Option& option = options_[k];
    std::size_t met = 0;
    bool fits = true;
    for (const std::size_t x : option.parents) {
      met += required.test(x, option.child);
      fits = fits && !forbidden.test(x, option.child) && !leads.test(option.child, x);
    }
    if (!fits || met < demanded[option.child]) result.push_back(static_cast<int>(k));
  }
  return result;
}

}  // namespace dagathlon
