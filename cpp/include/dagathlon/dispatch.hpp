// One function compiled twice, the better version picked when the library is loaded.
#pragma once

#include <cstddef>  // brings in the C library's own macros

// Our builds run on any x86-64, whose baseline lacks the instruction that counts bits. Put before a
// function that spends its time in std::popcount. Picking needs the loader of glibc.
// DAGATHLON_WIDE_CLONES does the same for loops over doubles: wider registers, the same digits.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(DAGATHLON_NO_DISPATCH)
#define DAGATHLON_POPCOUNT_CLONES __attribute__((target_clones("default", "popcnt")))
#define DAGATHLON_WIDE_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define DAGATHLON_POPCOUNT_CLONES
#define DAGATHLON_WIDE_CLONES
#endif
