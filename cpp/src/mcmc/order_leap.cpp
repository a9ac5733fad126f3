#include "dagathlon/mcmc/order_leap.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

std::size_t bit(std::size_t node) { return std::size_t{1} << node; }

// Calls visit(node) for each member.
template <class Visit>
void for_each_in(std::size_t set, Visit&& visit) {
  for (; set != 0; set &= set - 1) visit(static_cast<std::size_t>(std::countr_zero(set)));
}

}  // namespace

bool OrderLeap::worthwhile(std::size_t nodes, std::size_t steps) {
  constexpr std::size_t sets_per_step = 16;
  return nodes <= max_nodes && bit(nodes) <= sets_per_step * steps;
}

OrderLeap::OrderLeap(const ParentTables& tables) : tables_(tables), sums_(bit(tables.size()), 0.0) {
  for (std::size_t set = 1; set < sums_.size(); ++set) {
    pulse::beat();
    LogSum sum;
    for_each_in(set, [&](std::size_t node) { sum.add(weight_of_last(node, set & ~bit(node))); });
    sums_[set] = sum.value();
  }
}

void OrderLeap::allow(std::size_t node, std::size_t before) {
  tables_[node].clear(allowed_);
  for_each_in(before, [&](std::size_t other) { tables_[node].admit(allowed_, other); });
}

double OrderLeap::weight_of_last(std::size_t node, std::size_t before) {
  allow(node, before);
  return sums_[before] + tables_[node].value(allowed_);
}

BitMatrix OrderLeap::draw(Stream& random) {
  BitMatrix dag(tables_.size());
  for (std::size_t left = sums_.size() - 1; left != 0;) {
    LogDraw last(sums_[left], random.uniform(), std::numeric_limits<double>::infinity());
    for_each_in(left, [&](std::size_t node) { last.offer(node, weight_of_last(node, left & ~bit(node))); });
    const std::size_t node = last.chosen();
    left &= ~bit(node);
    allow(node, left);
    for (const std::size_t parent : tables_[node].parents(tables_[node].choose(allowed_, random)))
      dag.set(node, parent);
  }
  return dag;
}

// A DAG whose orders take too long to count has NaN of them, and is neither left nor reached so.
bool OrderLeap::decide(BitMatrix& dag, Stream& random) {
  BitMatrix other = draw(random);
  const double now = orders_.log_count(dag), then = orders_.log_count(other);
  if (!(std::log(random.uniform()) < now - then)) return false;
  dag = std::move(other);
  return true;
}

}  // namespace dagathlon
