// A number for some of the pairs of very many nodes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dagathlon {

// Keys are numbers of cells, in a table that is at most three quarters full; 0 stands for a pair without a number.
class PairTable {
 public:
  std::uint32_t get(std::uint64_t key) const { return slots_.empty() ? 0 : slots_[place(key)].value; }

  // Makes room for so many more pairs at once.
  void reserve(std::size_t more) {
    std::size_t size = std::max<std::size_t>(slots_.size(), 16);
    while (4 * (used_ + more) > 3 * size) size *= 2;
    if (size > slots_.size()) grow_to(size);
  }

  void put(std::uint64_t key, std::uint32_t value) {
    if (4 * used_ >= 3 * slots_.size()) grow_to(std::max<std::size_t>(2 * slots_.size(), 16));
    Slot& slot = slots_[place(key)];
    if (slot.key == none) {
      slot.key = key;
      ++used_;
    }
    slot.value = value;
  }

 private:
  static constexpr std::uint64_t none = static_cast<std::uint64_t>(-1);
  struct Slot {
    std::uint64_t key = none;
    std::uint32_t value = 0;
  };

  // Where a key is, or would be: neighbouring cells are spread by a multiplication.
  std::size_t place(std::uint64_t key) const {
    const std::size_t last = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> shift_);
    while (slots_[at].key != key && slots_[at].key != none) at = (at + 1) & last;
    return at;
  }

  // The size is a power of two.
  void grow_to(std::size_t size) {
    std::vector<Slot> old(size);
    old.swap(slots_);
    shift_ = static_cast<unsigned>(64 - std::countr_zero(size));
    for (const Slot& slot : old)
      if (slot.key != none) slots_[place(slot.key)] = slot;
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  unsigned shift_ = 64;
};

}  // namespace dagathlon
