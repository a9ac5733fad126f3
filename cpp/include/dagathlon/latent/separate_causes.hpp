// Which pairs of observed variables have no latent cause in common: the rules CS1, CS2 and CS3 of
// Silva, Scheines, Glymour and Spirtes (2006), JMLR 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/test/vanishing_minors.hpp"

namespace dagathlon {

// What the data say of a tetrad.
enum class Tetrad : std::uint8_t { unclear, vanishes, differs };

// Statistics of the three tetrads of every four variables a < b < c < d, in lexicographic order:
// ab·cd - ac·bd, ab·cd - ad·bc, ac·bd - ad·bc.
std::vector<double> tetrad_statistics(std::size_t variables, VanishingMinors& minors);

// Answers about all tetrads of up to 64 variables, as sets of the fourth variable.
class TetradAnswers {
 public:
  static constexpr std::size_t most = 64;
  using Set = std::uint64_t;

  // `answers` in the order of tetrad_statistics; rules look only at variables that `linked` joins.
  TetradAnswers(std::span<const std::uint8_t> answers, std::vector<Set> linked);

  // The l for which ij·kl - ik·jl vanishes, or differs from 0.
  Set vanishes(std::size_t i, std::size_t j, std::size_t k) const { return vanishes_[place(i, j, k)]; }
  Set differs(std::size_t i, std::size_t j, std::size_t k) const { return differs_[place(i, j, k)]; }
  // The l with which all three tetrads vanish, and all are linked.
  Set pure(std::size_t i, std::size_t j, std::size_t k) const { return pure_[place(i, j, k)]; }

  // Whether a rule says that the two have no common cause.
  bool separate(std::size_t x, std::size_t y) const;

 private:
  std::size_t place(std::size_t i, std::size_t j, std::size_t k) const { return (i * size_ + j) * size_ + k; }
  void put(std::size_t i, std::size_t j, std::size_t k, std::size_t l, Tetrad answer);
  void find_pure();
  bool first_rule(std::size_t x, std::size_t y) const;
  bool second_rule(std::size_t x, std::size_t y) const;
  bool third_rule(std::size_t x, std::size_t y) const;

  std::size_t size_;
  std::vector<Set> linked_;
  std::vector<Set> vanishes_, differs_, pure_;
  // Variables that are in a pure four with each: neither causes the other.
  std::vector<Set> unrelated_;
};

}  // namespace dagathlon
