#include "dagathlon/structure_chain.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "dagathlon/acyclic_rows.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

class StructureState {
 public:
  StructureState(Score& score, const SearchLimits& limits, const MarkedGraph& start, double power)
      : score_(score), limits_(limits), power_(power), dag_(start) {
    for (std::size_t node = 0; node < dag_.size(); ++node) terms_.push_back(term(node));
  }

  // One pair of nodes in one direction, and one of two things to do with it: every change is as likely
  // to be proposed as the one that undoes it.
  void step(Stream& random) {
    const std::size_t n = dag_.size();
    if (n < 2) return;
    const std::size_t from = random.below(n), other = random.below(n - 1);
    const std::size_t to = other + (other >= from);
    const bool first = random.below(2) == 0;
    if (dag_.has(from, to)) {
      if (limits_.required.test(from, to)) return;
      if (first) remove(from, to, random);
      else if (may_enter(to, from) && dag_.reversible(from, to)) reverse(from, to, random);
    } else if (first && may_enter(from, to) && !dag_.has(to, from) && !test(dag_.ancestors(from), to)) {
      add(from, to, random);
    }
  }

  ScoredDag dag() const {
    ScoredDag result{BitMatrix(dag_.size()), std::accumulate(terms_.begin(), terms_.end(), 0.0)};
    for (std::size_t node = 0; node < dag_.size(); ++node)
      for_each(dag_.parents(node), [&](std::size_t parent) { result.parents.set(node, parent); });
    return result;
  }

 private:
  bool may_enter(std::size_t from, std::size_t to) const {
    return !limits_.forbidden.test(from, to) && dag_.n_parents(to) < limits_.max_parents;
  }

  double term(std::size_t node) {
    parents_.clear();
    for_each(dag_.parents(node), [&](std::size_t parent) { parents_.push_back(parent); });
    return score_.local(node, parents_);
  }

  // The terms of the nodes after a change that was made; whether it stays.
  template <std::size_t N>
  bool accepted(const std::size_t (&nodes)[N], Stream& random) {
    double fresh[N];
    double gain = 0;
    for (std::size_t k = 0; k < N; ++k) {
      fresh[k] = term(nodes[k]);
      gain += fresh[k] - terms_[nodes[k]];
    }
    if (!(std::log(random.uniform()) < power_ * gain)) return false;
    for (std::size_t k = 0; k < N; ++k) terms_[nodes[k]] = fresh[k];
    return true;
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

  Score& score_;
  const SearchLimits& limits_;
  double power_;
  AcyclicRows dag_;
  std::vector<double> terms_;
  std::vector<std::size_t> parents_;
};

}  // namespace

ChainLog structure_chain(Score& score, const SearchLimits& limits, const MarkedGraph& start, double power,
                         ChainLength length, Stream random) {
  StructureState state(score, limits, start, power);
  ChainLog log(start.size());
  log.record(0, state.dag());
  pulse::until_deadline([&] {
    std::size_t done = 0;
    for (std::size_t s = 1; s <= length.saved(); ++s) {
      for (std::size_t i = 0; i < length.steps(s); ++i) {
        if (done++ % steps_per_beat == 0) pulse::progress(done, length.iterations);
        state.step(random);
      }
      log.record(s, state.dag());
    }
  });
  return log;
}

}  // namespace dagathlon
