#include "dagathlon/mcmc/structure_chain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "dagathlon/graph/acyclic_rows.hpp"
#include "dagathlon/mcmc/chain_run.hpp"
#include "dagathlon/mcmc/edge_reversal.hpp"

namespace dagathlon {

namespace {

class StructureState {
 public:
  StructureState(Score& score, const SearchLimits& limits, const MarkedGraph& start, const StructureOptions& options)
      : score_(&score), limits_(&limits), options_(&options), dag_(start) {
    for (std::size_t node = 0; node < dag_.size(); ++node) terms_.push_back(term(node));
  }

  double value() const { return options_->power * std::accumulate(terms_.begin(), terms_.end(), 0.0); }

  void step(double coldness, Stream& random) {
    if (dag_.size() < 2) return;
    coldness_ = coldness;
    // Without reversals no random number is drawn for them.
    if (options_->reversals > 0 && random.uniform() < options_->reversals) turn(random);
    else change(random);
  }

  void add_edges(double* matrix) const {
    for (std::size_t node = 0; node < dag_.size(); ++node)
      for_each(dag_.parents(node), [&](std::size_t parent) { matrix[parent * dag_.size() + node] += 1; });
  }

  ScoredDag dag() const {
    ScoredDag result{BitMatrix(dag_.size()), std::accumulate(terms_.begin(), terms_.end(), 0.0)};
    for (std::size_t node = 0; node < dag_.size(); ++node)
      for_each(dag_.parents(node), [&](std::size_t parent) { result.parents.set(node, parent); });
    return result;
  }

 private:
  // One pair of nodes in one direction, and one of two things to do with it: every change is as likely
  // to be proposed as the one that undoes it.
  void change(Stream& random) {
    const std::size_t n = dag_.size();
    const std::size_t from = random.below(n), other = random.below(n - 1);
    const std::size_t to = other + (other >= from);
    const bool first = random.below(2) == 0;
    if (dag_.has(from, to)) {
      if (limits_->required.test(from, to)) return;
      if (first) remove(from, to, random);
      else if (may_enter(to, from) && dag_.reversible(from, to)) reverse(from, to, random);
    } else if (first && may_enter(from, to) && !dag_.has(to, from) && !test(dag_.ancestors(from), to)) {
      add(from, to, random);
    }
  }

  // Turns an edge and draws both of its ends new parents.
  void turn(Stream& random) {
    ScoredDag turned = dag();
    BitMatrix before = turned.parents;
    if (!reverse_edge(*options_->tables, turned.parents, random, Inside::perhaps)) return;
    std::vector<std::size_t> ends;
    for (std::size_t node = 0; node < dag_.size(); ++node)
      if (!std::ranges::equal(before[node], turned.parents[node])) ends.push_back(node);
    exchange(before, turned.parents, ends);
    // The move keeps the posterior; on one of another coldness it is a proposal.
    if (!keeps(ends, coldness_ - 1, random)) exchange(turned.parents, before, ends);
  }

  // Removes the arcs into the nodes that one DAG has and adds those of another.
  void exchange(const BitMatrix& old, const BitMatrix& fresh, const std::vector<std::size_t>& nodes) {
    for (const std::size_t node : nodes) for_each(old[node], [&](std::size_t parent) { dag_.remove(parent, node); });
    for (const std::size_t node : nodes) for_each(fresh[node], [&](std::size_t parent) { dag_.add(parent, node); });
  }

  bool may_enter(std::size_t from, std::size_t to) const {
    return !limits_->forbidden.test(from, to) && dag_.n_parents(to) < limits_->max_parents;
  }

  double term(std::size_t node) {
    parents_.clear();
    for_each(dag_.parents(node), [&](std::size_t parent) { parents_.push_back(parent); });
    return score_->local(node, parents_);
  }

  // The terms of the nodes after a change that was made; whether it stays, for logarithmic weights times
  // a factor.
  bool keeps(std::span<const std::size_t> nodes, double factor, Stream& random) {
    fresh_.clear();
    double gain = 0;
    for (const std::size_t node : nodes) {
      fresh_.push_back(term(node));
      gain += fresh_.back() - terms_[node];
    }
    if (factor != 0 && !(std::log(random.uniform()) < factor * options_->power * gain)) return false;
    for (std::size_t k = 0; k < nodes.size(); ++k) terms_[nodes[k]] = fresh_[k];
    return true;
  }

  template <std::size_t N>
  bool accepted(const std::size_t (&nodes)[N], Stream& random) {
    return keeps(nodes, coldness_, random);
  }

  void add(std::size_t from, std::size_t to, Stream& random) {
    dag_.add(from, to);
    if (!accepted({to}, random)) dag_.remove(from, to);
  }
  void remove(std::size_t from, std::size_t to, Stream& random) {
    dag_.remove(from, to);
    if (!accepted({to}, random)) dag_.add(from, to);
  }
  void reverse(std::size_t from, std::size_t to, Stream& random) {
    dag_.reverse(from, to);
    if (!accepted({from, to}, random)) dag_.reverse(to, from);
  }

  Score* score_;
  const SearchLimits* limits_;
  const StructureOptions* options_;
  double coldness_ = 1;
  AcyclicRows dag_;
  std::vector<double> terms_;
  std::vector<double> fresh_;
  std::vector<std::size_t> parents_;
};

}  // namespace

ChainLog structure_chain(Score& score, const SearchLimits& limits, const MarkedGraph& start,
                         const StructureOptions& options, ChainLength length, Stream random) {
  CoupledChains chains(StructureState(score, limits, start, options), options.coldness);
  const auto move = [&](StructureState& state, double coldness) { state.step(coldness, random); };
  ChainLog log = run_chain(
      start.size(), length, [&](std::size_t) { chains.step(move, random); },
      [&](double* matrix) { chains.cold().add_edges(matrix); }, [&] { return chains.cold().dag(); });
  log.swaps = chains.counts();
  return log;
}

}  // namespace dagathlon
