// CLONES before a function's definition: the compiler makes a version for AVX2 beside the plain version, and the
// program chooses at start (GNU indirect functions). For loops over arrays of numbers. Every version gives the same
// bits: no version has fused multiply-add, and compilers reorder no sums.
//
// Plain alone: other processors, C libraries and compilers (clang 14 leaves the name undefined), unoptimised builds,
// and sanitizers, whose runtime is not ready when functions are chosen.
#pragma once
#include <stdint.h> // defines __GLIBC__

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(__clang__) &&             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

// Before a loop with a short body whose steps depend on each other.
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll_count(8)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif
