// Vectors of numbers that begin where a line of the cache begins.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace dagathlon {

// What is read in registers of 64 bytes would otherwise touch two lines each time.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* place, std::size_t) { ::operator delete(place, line); }
  bool operator==(const LineAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace dagathlon
