#include "dagathlon/data/expected_counts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// A group of up to this many combinations is kept as one table; of others only what was asked for.
constexpr double max_joint = 1024;
constexpr std::size_t max_group = 64;

double log_of(double probability) {
  return probability > 0 ? std::log(probability) : -std::numeric_limits<double>::infinity();
}

}  // namespace

ExpectedCounts::ExpectedCounts(std::shared_ptr<const IncompleteData> data, const std::vector<Conditional>& network)
    : data_(std::move(data)) {
  for (std::size_t row = 0; row < data_->rows; ++row) {
    pulse::beat(network.size());
    Row found = grouped(row, network);
    if (found.groups.empty()) complete_.push_back(row);
    else incomplete_.push_back(std::move(found));
  }
}

ExpectedCounts::Row ExpectedCounts::grouped(std::size_t row, const std::vector<Conditional>& network) {
  Row result{row, {}, {}};
  for (std::size_t v = 0; v < network.size(); ++v) {
    if (data_->columns[v][row] != IncompleteData::missing) continue;
    result.groups.emplace_back();
    result.groups.back().variables.push_back(v);
  }
  for (std::size_t child = 0; child < network.size(); ++child) {
    Slice slice = sliced(row, child, network[child]);
    if (slice.open.empty()) log_likelihood_ += log_of(slice.cells[0]);
    else add_potential(result.groups, std::move(slice));
  }
  for (std::size_t g = 0; g < result.groups.size(); ++g) {
    settle(result.groups[g]);
    const std::vector<std::size_t>& variables = result.groups[g].variables;
    for (std::size_t local = 0; local < variables.size(); ++local) result.open.push_back({variables[local], g, local});
  }
  return result;
}

// The open columns come in increasing order, the last runs fastest.
ExpectedCounts::Slice ExpectedCounts::sliced(std::size_t row, std::size_t child, const Conditional& given) const {
  std::vector<std::pair<std::size_t, std::size_t>> open;
  std::size_t start = 0;
  std::size_t step = 1;
  const auto add = [&](std::size_t v) {
    const std::uint16_t code = data_->columns[v][row];
    if (code == IncompleteData::missing) open.emplace_back(v, step);
    else start += code * step;
    step *= data_->arities[v];
  };
  add(child);
  for (std::size_t k = given.parents.size(); k-- > 0;) add(given.parents[k]);
  std::ranges::sort(open);
  Slice result;
  std::size_t cells = 1;
  for (const auto& [v, unused] : open) {
    result.open.push_back(v);
    cells *= data_->arities[v];
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::size_t rest = cell;
    std::size_t at = start;
    for (std::size_t k = open.size(); k-- > 0;) {
      const std::size_t arity = data_->arities[open[k].first];
      at += rest % arity * open[k].second;
      rest /= arity;
    }
    result.cells.push_back(given.table[at]);
  }
  return result;
}

// Groups that the table joins become one, which keeps it. Tables over the same columns, as of the many
// known children of one missing value, are multiplied here and scaled, so that no product vanishes.
void ExpectedCounts::add_potential(std::vector<Group>& groups, Slice slice) {
  const auto touched = [&](const Group& group) {
    return std::ranges::any_of(slice.open,
                               [&](std::size_t v) { return std::ranges::binary_search(group.variables, v); });
  };
  const auto first = std::ranges::find_if(groups, touched);
  for (auto other = first + 1; other != groups.end();) {
    if (!touched(*other)) {
      ++other;
      continue;
    }
    std::vector<std::size_t> both;
    std::ranges::merge(first->variables, other->variables, std::back_inserter(both));
    first->variables = std::move(both);
    std::ranges::move(other->potentials, std::back_inserter(first->potentials));
    std::ranges::move(other->scopes, std::back_inserter(first->scopes));
    other = groups.erase(other);
  }
  const auto same = std::ranges::find(first->scopes, slice.open);
  if (same == first->scopes.end()) {
    first->potentials.push_back({0, std::move(slice.cells)});
    first->scopes.push_back(std::move(slice.open));
    return;
  }
  std::vector<double>& cells = first->potentials[static_cast<std::size_t>(same - first->scopes.begin())].cells;
  for (std::size_t k = 0; k < cells.size(); ++k) cells[k] *= slice.cells[k];
  log_likelihood_ += log_of(normalise(cells));
}

void ExpectedCounts::settle(Group& group) {
  if (group.variables.size() > max_group)
    throw TableTooLarge("more than 64 values that are missing in one row depend on each other");
  for (std::size_t k = 0; k < group.potentials.size(); ++k)
    for (const std::size_t v : group.scopes[k]) {
      const auto place = std::ranges::lower_bound(group.variables, v);
      group.potentials[k].scope |= Scope{1} << static_cast<std::size_t>(place - group.variables.begin());
    }
  group.scopes.clear();
  double cells = 1;
  for (const std::size_t v : group.variables) {
    group.sizes.push_back(data_->arities[v]);
    cells *= static_cast<double>(data_->arities[v]);
  }
  const Scope all = group.variables.size() == max_group ? ~Scope{0} : (Scope{1} << group.variables.size()) - 1;
  const bool small = cells <= max_joint;
  Potential whole = eliminated(group.potentials, small ? all : 0, group.sizes);
  log_likelihood_ += log_of(normalise(whole.cells));
  if (small) {
    group.potentials.clear();
    group.potentials.push_back(std::move(whole));
  }
  for (std::size_t local = 0; local < group.variables.size(); ++local)
    group.singles.push_back(marginal(group, Scope{1} << local));
}

const std::vector<double>& ExpectedCounts::marginal(Group& group, Scope scope) {
  if (group.potentials.size() == 1 && group.potentials[0].scope == scope) return group.potentials[0].cells;
  const auto found = group.known.find(scope);
  if (found != group.known.end()) return found->second;
  Potential result = eliminated(group.potentials, scope, group.sizes);
  normalise(result.cells);
  return group.known.emplace(scope, std::move(result.cells)).first->second;
}

// Multiplies the places of a row by the distribution of what the family misses of one group.
void ExpectedCounts::spread(Group& group, std::span<const Member> members) {
  Scope scope = 0;
  for (const Member& member : members) scope |= Scope{1} << member.local;
  const std::vector<double>& cells = members.size() == 1 ? group.singles[members[0].local] : marginal(group, scope);
  next_.clear();
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (cells[cell] == 0) continue;
    std::uint64_t offset = 0;
    std::size_t rest = cell;
    for (std::size_t k = members.size(); k-- > 0;) {
      const std::size_t size = group.sizes[members[k].local];
      offset += rest % size * members[k].step;
      rest /= size;
    }
    for (const Place& place : places_) next_.push_back({place.cell + offset, place.weight * cells[cell]});
  }
  places_.swap(next_);
}

// The cell of what is known in a row; `members_` gets what is not.
std::uint64_t ExpectedCounts::known_cell(const Row& row, Nodes family, const std::vector<std::uint64_t>& steps) {
  std::uint64_t cell = 0;
  members_.clear();
  for (std::size_t k = 0; k < family.size(); ++k) {
    const std::uint16_t code = data_->columns[family[k]][row.number];
    if (code != IncompleteData::missing) {
      cell += code * steps[k];
      continue;
    }
    const auto place = std::ranges::find(row.open, family[k], &Open::variable);
    members_.push_back({place->group, place->local, steps[k]});
  }
  return cell;
}

// Calls add(cell, weight) for every row and every cell that it may be in.
template <class Add>
void ExpectedCounts::visit(std::size_t child, Nodes parents, Add&& add) {
  std::vector<std::size_t> family(parents.begin(), parents.end());
  family.push_back(child);
  std::vector<std::uint64_t> steps(family.size());
  std::uint64_t step = 1;
  for (std::size_t k = family.size(); k-- > 0; step *= data_->arities[family[k]]) steps[k] = step;
  for (const std::size_t row : complete_) {
    std::uint64_t cell = 0;
    for (std::size_t k = 0; k < family.size(); ++k) cell += data_->columns[family[k]][row] * steps[k];
    add(cell, 1.0);
  }
  for (Row& row : incomplete_) {
    pulse::beat(family.size());
    const std::uint64_t cell = known_cell(row, family, steps);
    if (members_.empty()) {
      add(cell, 1.0);
      continue;
    }
    if (members_.size() == 1) {
      const std::vector<double>& shares = row.groups[members_[0].group].singles[members_[0].local];
      for (std::size_t level = 0; level < shares.size(); ++level) add(cell + level * members_[0].step, shares[level]);
      continue;
    }
    std::ranges::sort(members_);
    places_.assign(1, {cell, 1.0});
    for (auto from = members_.begin(); from != members_.end();) {
      const auto to = std::find_if(from, members_.end(), [&](const Member& m) { return m.group != from->group; });
      spread(row.groups[from->group], {from, to});
      from = to;
    }
    pulse::beat(places_.size());
    for (const Place& place : places_) add(place.cell, place.weight);
  }
}

void ExpectedCounts::add_counts(std::size_t child, Nodes parents, std::vector<double>& cells) {
  visit(child, parents, [&](std::uint64_t cell, double weight) { cells[cell] += weight; });
}

void ExpectedCounts::add_sparse_counts(std::size_t child, Nodes parents, std::vector<double>& cells) {
  const std::size_t levels = data_->arities[child];
  std::unordered_map<std::uint64_t, std::size_t> starts;
  visit(child, parents, [&](std::uint64_t cell, double weight) {
    const auto [place, fresh] = starts.try_emplace(cell / levels, cells.size());
    if (fresh) cells.resize(cells.size() + levels, 0.0);
    cells[place->second + cell % levels] += weight;
  });
}

}  // namespace dagathlon
