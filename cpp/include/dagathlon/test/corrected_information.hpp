// Conditional mutual information of discrete columns, less the complexity of telling it from noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dagathlon/data/counting.hpp"
#include "dagathlon/score/multinomial_regret.hpp"
#include "dagathlon/test/slice_statistics.hpp"

namespace dagathlon {

// What is taken off: the regret of normalised maximum likelihood, the parameters' description
// length, or nothing.
enum class Complexity : std::uint8_t { normalised_likelihood, description_length, none };

// n·I(x;y|given) less the complexity, in nats (Affeldt and Isambert 2015): positive where the data
// speak for an edge. Values are kept.
class CorrectedInformation {
 public:
  CorrectedInformation(DiscreteData data, Complexity complexity);
  CorrectedInformation(const CorrectedInformation&) = delete;
  CorrectedInformation& operator=(const CorrectedInformation&) = delete;

  std::size_t size() const { return data_.size(); }
  // Tables that were counted.
  std::size_t evaluations() const { return known_.size(); }

  double operator()(std::size_t x, std::size_t y, std::vector<std::size_t> given);

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uint32_t>& key) const;
  };

  double computed(std::size_t x, std::size_t y, Nodes given);
  double regret(const Slice& slice);
  double description_length(std::size_t x, std::size_t y, Nodes given) const;

  DiscreteData data_;
  Complexity complexity_;
  Counter counter_;
  LogTable logs_;
  MultinomialRegret regret_;
  std::unordered_map<std::vector<std::uint32_t>, double, Hash> known_;
};

}  // namespace dagathlon
