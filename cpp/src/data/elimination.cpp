#include "dagathlon/data/elimination.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t max_cells = std::size_t{1} << 22U;

std::vector<std::size_t> members(Scope scope) {
  std::vector<std::size_t> result;
  for (; scope; scope &= scope - 1) result.push_back(static_cast<std::size_t>(std::countr_zero(scope)));
  return result;
}

double cells_of(Scope scope, std::span<const std::size_t> sizes) {
  double cells = 1;
  for (const std::size_t v : members(scope)) cells *= static_cast<double>(sizes[v]);
  return cells;
}

// Distances in a table of one step of each variable in `all`; 0 for those that the table lacks.
std::vector<std::size_t> strides(Scope scope, const std::vector<std::size_t>& all, std::span<const std::size_t> sizes) {
  std::vector<std::size_t> result(all.size(), 0);
  std::size_t step = 1;
  for (std::size_t k = all.size(); k-- > 0;) {
    if (!(scope >> all[k] & 1U)) continue;
    result[k] = step;
    step *= sizes[all[k]];
  }
  return result;
}

// The product of `parts`, summed onto the variables of `onto`.
Potential combined(const std::vector<Potential>& parts, Scope onto, std::span<const std::size_t> sizes) {
  Scope scope = onto;
  for (const Potential& part : parts) scope |= part.scope;
  if (cells_of(scope, sizes) > static_cast<double>(max_cells))
    throw TableTooLarge("the values that are missing in one row depend on each other in too large a table");
  const std::vector<std::size_t> all = members(scope);
  std::vector<std::vector<std::size_t>> steps;
  for (const Potential& part : parts) steps.push_back(strides(part.scope, all, sizes));
  steps.push_back(strides(onto, all, sizes));
  Potential result{onto, std::vector<double>(static_cast<std::size_t>(cells_of(onto, sizes)), 0.0)};
  std::vector<std::size_t> at(steps.size(), 0);
  std::vector<std::size_t> digits(all.size(), 0);
  pulse::beat(static_cast<std::size_t>(cells_of(scope, sizes)) * parts.size());
  while (true) {
    double value = 1;
    for (std::size_t k = 0; k < parts.size(); ++k) value *= parts[k].cells[at[k]];
    result.cells[at.back()] += value;
    std::size_t digit = all.size();
    while (digit-- > 0) {
      const bool wraps = ++digits[digit] == sizes[all[digit]];
      const std::size_t back = wraps ? sizes[all[digit]] - 1 : 0;
      for (std::size_t k = 0; k < at.size(); ++k)
        at[k] = wraps ? at[k] - back * steps[k][digit] : at[k] + steps[k][digit];
      if (!wraps) break;
      digits[digit] = 0;
    }
    if (digit == static_cast<std::size_t>(-1)) return result;
  }
}

}  // namespace

Potential eliminated(std::vector<Potential> potentials, Scope keep, std::span<const std::size_t> sizes) {
  while (true) {
    Scope present = 0;
    for (const Potential& potential : potentials) present |= potential.scope;
    const std::vector<std::size_t> left = members(present & ~keep);
    if (left.empty()) return combined(potentials, keep, sizes);
    std::size_t chosen = left.front();
    Scope together = 0;
    double fewest = -1;
    for (const std::size_t v : left) {
      Scope scope = 0;
      for (const Potential& potential : potentials)
        if (potential.scope >> v & 1U) scope |= potential.scope;
      const double cells = cells_of(scope, sizes);
      if (fewest >= 0 && cells >= fewest) continue;
      fewest = cells;
      chosen = v;
      together = scope;
    }
    const auto split = std::stable_partition(potentials.begin(), potentials.end(), [&](const Potential& potential) {
      return !(potential.scope >> chosen & 1U);
    });
    std::vector<Potential> touched(std::make_move_iterator(split), std::make_move_iterator(potentials.end()));
    potentials.erase(split, potentials.end());
    potentials.push_back(combined(touched, together & ~(Scope{1} << chosen), sizes));
  }
}

double normalise(std::vector<double>& cells) {
  double sum = 0;
  for (const double cell : cells) sum += cell;
  if (sum > 0)
    for (double& cell : cells) cell /= sum;
  return sum;
}

}  // namespace dagathlon
