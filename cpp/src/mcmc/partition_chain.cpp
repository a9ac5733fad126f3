#include "dagathlon/mcmc/partition_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "dagathlon/mcmc/chain_run.hpp"
#include "dagathlon/mcmc/coupled_chains.hpp"
#include "dagathlon/mcmc/edge_reversal.hpp"
#include "dagathlon/stats/log_weights.hpp"

namespace dagathlon {

Partition partition_of(const BitMatrix& parents) {
  Partition parts;
  BitSet before(parents.size()), placed(parents.size());
  for (std::size_t left = parents.size(); left > 0;) {
    std::vector<std::size_t> part;
    for (std::size_t node = 0; node < parents.size(); ++node)
      if (!placed.test(node) && is_subset(parents[node], before)) part.push_back(node);
    for (const std::size_t node : part) placed.set(node);
    before = placed;
    left -= part.size();
    parts.push_back(std::move(part));
  }
  return parts;
}

namespace {

double log_choose(std::size_t n, std::size_t k) {
  double sum = 0;
  for (std::size_t i = 1; i <= k; ++i) sum += std::log(static_cast<double>(n - k + i) / static_cast<double>(i));
  return sum;
}

double log_of(std::size_t n) { return std::log(static_cast<double>(n)); }

std::size_t divisible_parts(const Partition& parts) {
  return static_cast<std::size_t>(std::ranges::count_if(parts, [](const auto& part) { return part.size() > 1; }));
}

// The logarithm of the probability to propose this division of a part of n nodes.
double log_split(std::size_t divisible, std::size_t n, std::size_t first) {
  return -log_of(divisible) - log_of(n - 1) - log_choose(n, first);
}

std::size_t draw_by_log(std::span<const double> values, Stream& random) {
  LogSum total;
  for (const double value : values) total.add(value);
  LogDraw draw(total.value(), random.uniform(), std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < values.size(); ++k) draw.offer(k, values[k]);
  return draw.chosen();
}

}  // namespace

PartitionState::PartitionState(const ParentTables& tables, Partition partition)
    : tables_(&tables), parts_(std::move(partition)), terms_(tables.size()) {
  set_terms(0, parts_.size());
}

double PartitionState::value() const { return std::accumulate(terms_.begin(), terms_.end(), 0.0); }

// Fills all_ with the parts before a node's own, beyond_ with those before its neighbour.
void PartitionState::allow(std::size_t node, std::size_t part) {
  const ParentTable& table = (*tables_)[node];
  table.clear(beyond_);
  for (std::size_t m = 0; m + 1 < part; ++m)
    for (const std::size_t x : parts_[m]) table.admit(beyond_, x);
  all_ = beyond_;
  if (part > 0)
    for (const std::size_t x : parts_[part - 1]) table.admit(all_, x);
}

double PartitionState::term(std::size_t node, std::size_t part) {
  allow(node, part);
  return part == 0 ? (*tables_)[node].value(all_) : (*tables_)[node].log_difference(all_, beyond_);
}

void PartitionState::set_terms(std::size_t first, std::size_t last) {
  for (std::size_t m = first; m < std::min(last, parts_.size()); ++m)
    for (const std::size_t node : parts_[m]) terms_[node] = term(node, m);
}

void PartitionState::decide(Proposal proposal, double coldness, Stream& random) {
  const double before = value();
  const std::vector<double> kept = terms_;
  std::swap(parts_, proposal.parts);
  set_terms(proposal.first, proposal.last);
  if (std::log(random.uniform()) < coldness * (value() - before) + proposal.bias) return;
  std::swap(parts_, proposal.parts);
  terms_ = kept;
}

void PartitionState::swap(bool neighbouring, double coldness, Stream& random) {
  if (parts_.size() < 2) return;
  std::size_t a = random.below(parts_.size() - 1), b = a + 1;
  if (!neighbouring) {
    a = random.below(parts_.size());
    b = random.below(parts_.size() - 1);
    b += b >= a;
    if (a > b) std::swap(a, b);
  }
  Partition proposal = parts_;
  std::swap(proposal[a][random.below(parts_[a].size())], proposal[b][random.below(parts_[b].size())]);
  decide({std::move(proposal), a, b + 2, 0.0}, coldness, random);
}

void PartitionState::split(double coldness, Stream& random) {
  const std::size_t divisible = divisible_parts(parts_);
  if (divisible == 0) return;
  std::size_t chosen = random.below(divisible), m = 0;
  while (parts_[m].size() < 2 || chosen-- > 0) ++m;
  std::vector<std::size_t> part = parts_[m];
  const std::size_t first = 1 + random.below(part.size() - 1);
  random.shuffle(std::span(part));
  Partition proposal = parts_;
  const auto middle = part.begin() + static_cast<std::ptrdiff_t>(first);
  proposal[m].assign(part.begin(), middle);
  proposal.insert(proposal.begin() + static_cast<std::ptrdiff_t>(m + 1), std::vector<std::size_t>(middle, part.end()));
  const double bias = -log_of(parts_.size()) - log_split(divisible, part.size(), first);
  decide({std::move(proposal), m, m + 3, bias}, coldness, random);
}

void PartitionState::merge(double coldness, Stream& random) {
  if (parts_.size() < 2) return;
  const std::size_t m = random.below(parts_.size() - 1), first = parts_[m].size();
  Partition proposal = parts_;
  proposal[m].insert(proposal[m].end(), parts_[m + 1].begin(), parts_[m + 1].end());
  proposal.erase(proposal.begin() + static_cast<std::ptrdiff_t>(m + 1));
  const double bias = log_split(divisible_parts(proposal), proposal[m].size(), first) + log_of(parts_.size() - 1);
  decide({std::move(proposal), m, m + 2, bias}, coldness, random);
}

PartitionState::PartTerms PartitionState::terms_around(std::size_t part, std::size_t node) {
  PartTerms sums;
  for (const std::size_t other : parts_[part]) {
    const ParentTable& table = (*tables_)[other];
    const double behind = term(other, part);  // leaves all_ and beyond_ as they are without the node
    sums.behind += behind;
    if (!table.knows(node)) {
      sums.in_part_before += behind;
      sums.far_before += behind;
      sums.right_before = minus_infinity;
      continue;
    }
    AllowedParents with = all_;
    table.admit(with, node);
    sums.right_before += table.log_difference(with, all_);
    if (part == 0) continue;
    sums.in_part_before += table.log_difference(with, beyond_);
    table.admit(beyond_, node);
    sums.far_before += table.log_difference(with, beyond_);
  }
  return sums;
}

// For gap g the value with the node in a part of its own before part g, then with it inside part g.
// The parts are those of the other nodes.
std::vector<double> PartitionState::values_of_places(std::size_t node) {
  const std::size_t n = parts_.size();
  std::vector<PartTerms> sums;
  for (std::size_t m = 0; m < n; ++m) sums.push_back(terms_around(m, node));
  std::vector<double> far(n + 2, 0.0);
  for (std::size_t m = n; m-- > 0;) far[m] = far[m + 1] + sums[m].far_before;
  std::vector<double> values;
  double behind = 0;
  for (std::size_t g = 0; g <= n; ++g) {
    const double own = term(node, g) + behind;
    values.push_back(own + (g < n ? sums[g].right_before + far[g + 1] : 0.0));
    if (g == n) break;
    behind += sums[g].behind;
    values.push_back(own + sums[g].behind + (g + 1 < n ? sums[g + 1].in_part_before + far[g + 2] : 0.0));
  }
  return values;
}

void PartitionState::relocate(std::size_t node, double coldness, Stream& random) {
  for (auto& part : parts_) std::erase(part, node);
  std::erase_if(parts_, [](const auto& part) { return part.empty(); });
  std::vector<double> values = values_of_places(node);
  for (double& value : values) value *= coldness;
  const std::size_t place = draw_by_log(values, random);
  const auto at = parts_.begin() + static_cast<std::ptrdiff_t>(place / 2);
  if (place % 2 == 0) parts_.insert(at, std::vector<std::size_t>(1, node));
  else at->push_back(node);
  set_terms(0, parts_.size());
}

ScoredDag PartitionState::draw(Stream& random) {
  ScoredDag dag{BitMatrix(tables_->size())};
  for (std::size_t m = 0; m < parts_.size(); ++m)
    for (const std::size_t node : parts_[m]) {
      allow(node, m);
      const ParentTable& table = (*tables_)[node];
      const TabledSet set = m == 0 ? TabledSet{} : table.draw_outside(all_, beyond_, random);
      dag.score += table.score(set);
      for (const std::size_t parent : table.parents(set)) dag.parents.set(node, parent);
    }
  return dag;
}

void PartitionState::reverse_edges(std::size_t turns, double coldness, Stream& random) {
  BitMatrix dag = draw(random).parents;
  bool turned = false;
  for (std::size_t k = 0; k < turns; ++k) turned |= reverse_edge(*tables_, dag, random, Inside::surely);
  if (turned) follow(dag, coldness, random);
}

void PartitionState::leap(OrderLeap& leap, double coldness, Stream& random) {
  BitMatrix dag = draw(random).parents;
  if (leap.decide(dag, random)) follow(dag, coldness, random);
}

// On a partition's weight to the power of the coldness the move is a proposal, whose ratio to the
// posterior of DAGs is what is left to decide.
void PartitionState::follow(const BitMatrix& dag, double coldness, Stream& random) {
  if (coldness != 1) return decide({partition_of(dag), 0, tables_->size(), 0.0}, coldness - 1, random);
  parts_ = partition_of(dag);
  set_terms(0, parts_.size());
}

void PartitionState::add_edges(double* matrix) {
  for (std::size_t m = 1; m < parts_.size(); ++m)
    for (const std::size_t node : parts_[m]) {
      allow(node, m);
      (*tables_)[node].add_shares(all_, &beyond_, 1.0, matrix + node, tables_->size());
    }
}

namespace {

// What the steps of a chain have in common.
class Steps {
 public:
  Steps(const ParentTables& tables, const PartitionOptions& options, std::size_t number)
      : tables_(tables), turns_(options.turns) {
    if (options.leaps && OrderLeap::worthwhile(tables.size(), number)) leaps_ = leaping(tables.size());
  }

  // Edge reversals carry the chain between groups of DAGs that are far apart for all other moves, and
  // leaps between those that are far apart for edge reversals too. A relocation looks at every place, so
  // that it is rarer the more nodes there are.
  void step(PartitionState& state, double coldness, Stream& random) {
    const std::size_t n = state.size();
    if (n < 2) return;
    const double relocation = std::min(0.3, 8.0 / static_cast<double>(n)), reversal = 0.4;
    const double kind = random.uniform();
    if (kind < relocation) return state.relocate(random.below(n), coldness, random);
    if (kind < relocation + reversal) return state.reverse_edges(turns_, coldness, random);
    if (kind < relocation + reversal + leaps_) return state.leap(leap(), coldness, random);
    switch (random.below(4)) {
      case 0: return state.split(coldness, random);
      case 1: return state.merge(coldness, random);
      case 2: return state.swap(true, coldness, random);
      default: return state.swap(false, coldness, random);
    }
  }

 private:
  // The orders of a DAG of many nodes take long to count.
  static double leaping(std::size_t nodes) { return nodes <= 12 ? 0.05 : 0.01; }

  // Made at the first leap: a deadline that comes meanwhile ends the chain where it is.
  OrderLeap& leap() {
    if (!leap_) leap_.emplace(tables_);
    return *leap_;
  }

  const ParentTables& tables_;
  std::size_t turns_;
  double leaps_ = 0;
  std::optional<OrderLeap> leap_;
};

}  // namespace

ChainLog partition_chain(const ParentTables& tables, const BitMatrix& start, const PartitionOptions& options,
                         ChainLength length, Stream random) {
  CoupledChains chains(PartitionState(tables, partition_of(start)), options.coldness);
  Steps steps(tables, options, length.warmup + length.iterations);
  const auto move = [&](PartitionState& state, double coldness) { steps.step(state, coldness, random); };
  ChainLog log = run_chain(
      tables.size(), length, [&](std::size_t) { chains.step(move, random); },
      [&](double* matrix) { chains.cold().add_edges(matrix); }, [&] { return chains.cold().draw(random); });
  log.swaps = chains.counts();
  return log;
}

}  // namespace dagathlon
