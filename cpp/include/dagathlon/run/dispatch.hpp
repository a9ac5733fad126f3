// One function compiled twice, the better version picked when the library is loaded.
#pragma once

#include <cstddef>  // brings in the C library's own macros

// Our builds run on any x86-64, whose baseline lacks the instruction that counts bits. Put before a
// function that spends its time in std::popcount. Picking needs the loader of glibc.
// DAGATHLON_WIDE_CLONES does the same for loops over doubles: wider registers, the same digits.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(DAGATHLON_NO_DISPATCH)
#define DAGATHLON_POPCOUNT_CLONES __attribute__((target_clones("default", "popcnt")))
#define DAGATHLON_WIDE_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#define DAGATHLON_VECTOR_POPCOUNT __attribute__((target("popcnt,avx512f,avx512vl,avx512vpopcntdq")))
#else
#define DAGATHLON_POPCOUNT_CLONES
#define DAGATHLON_WIDE_CLONES
#define DAGATHLON_VECTOR_POPCOUNT
#endif

namespace dagathlon {

// Whether functions marked DAGATHLON_VECTOR_POPCOUNT, which count the bits of several words at once,
// can run here. The compiler cannot pick these by itself.
inline bool has_vector_popcount() {
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(DAGATHLON_NO_DISPATCH)
  return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq");
#else
  return false;
#endif
}

}  // namespace dagathlon
