// Small parent sets of a node that are outside of its table: those with two nodes or more that are no
// candidates. With them every set of few parents is in the search space (Viinikka et al. 2020).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

class FreeSets {
 public:
  static constexpr std::size_t most_members = 3;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  // Nodes of both lists are in increasing order.
  struct Space {
    std::span<const std::size_t> candidates;
    std::span<const std::size_t> extras;
    std::span<const std::size_t> required;
    // Largest number of members.
    std::size_t largest = 0;
  };

  FreeSets() = default;
  // Weights are scores raised to `power`.
  FreeSets(Score& score, std::size_t child, const Space& space, double power);

  bool empty() const { return scores_.empty(); }
  double score(std::size_t item) const { return scores_[item]; }
  // The members in increasing order.
  std::vector<std::size_t> members(std::size_t item) const;
  // The set with these members, in increasing order, or none.
  std::size_t find(std::span<const std::size_t> members) const;

  // log(e^rest + Σ weights of the sets that `allowed(members)` lets through). Sets that cannot change
  // the tenth digit of the sum are left out.
  template <class Allowed>
  double log_sum(double rest, Allowed&& allowed) const;
  // By weight one of these; `mass` is the logarithm of the sum of their weights.
  template <class Allowed>
  std::size_t draw(double mass, double uniform, Allowed&& allowed) const;
  // The best one, or none.
  template <class Allowed>
  std::size_t best(Allowed&& allowed) const;

  // Members as bits: there are no free sets of more nodes than these.
  static constexpr std::size_t max_nodes = 2 * word_bits;
  using Members = std::array<Word, 2>;
  static bool contains(const Members& all, const Members& some) {
    return ((some[0] & ~all[0]) | (some[1] & ~all[1])) == 0;
  }

 private:
  static Members bits_of(std::span<const std::size_t> members);
  void add(const std::vector<std::size_t>& members, double score);
  void sort();

  double power_ = 1;
  // From the largest score on.
  std::vector<double> scores_;
  std::vector<Members> members_;
  // Weights relative to the first one, and their sums from each place on.
  std::vector<double> weights_;
  std::vector<double> left_;
  std::map<Members, std::size_t> places_;
};

}  // namespace dagathlon

#include "dagathlon/mcmc/free_sets_sums.hpp"
