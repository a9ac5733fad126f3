// What each change of one parent would gain, kept for every family that a search has met.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

struct Gains {
  double term;
  // For each node what it would gain as one more parent, or, if it is a parent, if it were none.
  std::vector<double> of_change;
};

using GainsPointer = std::shared_ptr<const Gains>;

// For searches that come back to the same families again and again.
class FamilyGains {
 public:
  explicit FamilyGains(Score& score) : score_(score), known_(score.size()), without_(score.size()) {}

  GainsPointer of(std::size_t child, ConstRow parents);
  std::size_t evaluations() const { return evaluations_; }

 private:
  // Numbers that are kept; beyond that all are forgotten.
  static constexpr std::size_t most_kept = std::size_t{1} << 25;

  Gains compute(std::size_t child, ConstRow row);

  Score& score_;
  std::vector<std::map<std::vector<Word>, GainsPointer>> known_;
  std::size_t kept_ = 0;
  std::vector<std::size_t> parents_;
  std::vector<double> without_;
  std::size_t evaluations_ = 0;
};

}  // namespace dagathlon
