#include "dagathlon/latent/separate_causes.hpp"

#include <bit>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

using Set = TetradAnswers::Set;

constexpr Set only(std::size_t member) { return Set{1} << member; }

// Calls `what` for each member until it says true.
template <class What>
bool any_of(Set set, What what) {
  for (; set != 0; set &= set - 1) {
    if (what(static_cast<std::size_t>(std::countr_zero(set)))) return true;
  }
  return false;
}

// Whether two different variables can be taken, one of each set.
bool two_of(Set a, Set b) { return a != 0 && b != 0 && std::popcount(a | b) > 1; }

template <class What>
void for_each_four(std::size_t n, What what) {
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      for (std::size_t c = b + 1; c < n; ++c) {
        for (std::size_t d = c + 1; d < n; ++d) what(a, b, c, d);
      }
    }
  }
}

}  // namespace

std::vector<double> tetrad_statistics(std::size_t variables, VanishingMinors& minors) {
  std::vector<double> found;
  for_each_four(variables, [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    found.push_back(minors.tetrad(a, b, c, d));
    found.push_back(minors.tetrad(a, b, d, c));
    found.push_back(minors.tetrad(a, c, d, b));
  });
  return found;
}

TetradAnswers::TetradAnswers(std::span<const std::uint8_t> answers, std::vector<Set> linked)
    : size_(linked.size()), linked_(std::move(linked)) {
  const std::size_t cells = size_ * size_ * size_;
  vanishes_.resize(cells);
  differs_.resize(cells);
  pure_.resize(cells);
  unrelated_.resize(size_);
  std::size_t next = 0;
  for_each_four(size_, [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    put(a, b, c, d, static_cast<Tetrad>(answers[next]));
    put(a, b, d, c, static_cast<Tetrad>(answers[next + 1]));
    put(a, c, d, b, static_cast<Tetrad>(answers[next + 2]));
    next += 3;
  });
  find_pure();
}

// The same tetrad is reached from each of its variables, in two orders.
void TetradAnswers::put(std::size_t i, std::size_t j, std::size_t k, std::size_t l, Tetrad answer) {
  if (answer == Tetrad::unclear) return;
  std::vector<Set>& sets = answer == Tetrad::vanishes ? vanishes_ : differs_;
  const std::size_t orders[4][4] = {{i, j, k, l}, {j, i, l, k}, {k, l, i, j}, {l, k, j, i}};
  for (const auto& o : orders) {
    sets[place(o[0], o[1], o[2])] |= only(o[3]);
    sets[place(o[0], o[2], o[1])] |= only(o[3]);
  }
}

void TetradAnswers::find_pure() {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t k = 0; k < size_; ++k) {
        const bool together = (linked_[i] >> j & linked_[i] >> k & linked_[j] >> k & 1) != 0;
        if (i == j || j == k || i == k || !together) continue;
        const Set all = vanishes(i, j, k) & vanishes(j, i, k) & vanishes(k, i, j);
        pure_[place(i, j, k)] = all & linked_[i] & linked_[j] & linked_[k];
        unrelated_[i] |= pure_[place(i, j, k)];
      }
    }
  }
}

bool TetradAnswers::separate(std::size_t x, std::size_t y) const {
  pulse::beat(1u << 12);
  return first_rule(x, y) || second_rule(x, y) || third_rule(x, y) || third_rule(y, x);
}

// CS1: x and y are in a pure four with x2, x3 and in another with y2, y3, and x·x2 with y·y2 is not
// x·y2 with y·x2.
bool TetradAnswers::first_rule(std::size_t x, std::size_t y) const {
  return any_of(unrelated_[x] & ~only(y), [&](std::size_t x2) {
    const Set x3 = pure(x, y, x2);
    return x3 != 0 && any_of(differs(x2, x, y) & linked_[x2],
                             [&](std::size_t y2) { return two_of(x3 & ~only(y2), pure(x, y, y2) & ~only(x2)); });
  });
}

// CS2: as CS1, where x does not cause x3, nor y y3, from fewer tetrads.
bool TetradAnswers::second_rule(std::size_t x, std::size_t y) const {
  const Set both = linked_[x] & linked_[y];
  return any_of(both, [&](std::size_t x2) {
    const Set candidates = differs(x, x2, y) & vanishes(y, x, x2) & both & linked_[x2];
    return any_of(candidates, [&](std::size_t y2) {
      const Set near = both & linked_[x2] & linked_[y2];
      const Set x3 = vanishes(x, x2, y2) & unrelated_[x] & near;
      const Set y3 = vanishes(y, x2, y2) & unrelated_[y] & near;
      return two_of(x3, y3);
    });
  });
}

// CS3: x is in a pure four with y, y2, y3, and in one with x2, x3 and each of y2 and y3, and
// x·x2 with y2·y3 is not x·y2 with x2·y3.
bool TetradAnswers::third_rule(std::size_t x, std::size_t y) const {
  return any_of(linked_[x] & ~only(y), [&](std::size_t y2) {
    return any_of(pure(x, y, y2), [&](std::size_t y3) {
      return any_of(differs(y2, y3, x) & ~only(y),
                    [&](std::size_t x2) { return (pure(x, y2, x2) & pure(x, y3, x2) & ~only(y)) != 0; });
    });
  });
}

}  // namespace dagathlon
