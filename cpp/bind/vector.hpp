// Vectors as one-dimensional arrays of numpy.
#pragma once

#include <memory>
#include <vector>

#include "bind.hpp"

namespace dagathlon {

template <class T>
using NumpyVector = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

// Hands a vector to numpy without copying it.
template <class T>
NumpyVector<T> to_vector(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumpyVector<T>(data, {size}, owner);
}

}  // namespace dagathlon
