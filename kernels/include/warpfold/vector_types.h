// char1 … double4 with their make_* functions, and dim3. Structures with CUDA's sizes and alignments; clang
// loads and stores the aligned ones whole.
#pragma once
#include "qualifiers.h"

#define __WF_VECTORS(NAME, T, ALIGN2, ALIGN4)                                                                \
    struct NAME##1 { T x; };                                                                                 \
    struct __align__(ALIGN2) NAME##2 { T x, y; };                                                            \
    struct NAME##3 { T x, y, z; };                                                                           \
    struct __align__(ALIGN4) NAME##4 { T x, y, z, w; };                                                      \
    __wf_both NAME##1 make_##NAME##1(T x) { return {x}; }                                                    \
    __wf_both NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                                            \
    __wf_both NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }                                    \
    __wf_both NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
__WF_VECTORS(char, signed char, 2, 4)
__WF_VECTORS(uchar, unsigned char, 2, 4)
__WF_VECTORS(short, short, 4, 8)
__WF_VECTORS(ushort, unsigned short, 4, 8)
__WF_VECTORS(int, int, 8, 16)
__WF_VECTORS(uint, unsigned, 8, 16)
__WF_VECTORS(long, long, 16, 16)
__WF_VECTORS(ulong, unsigned long, 16, 16)
__WF_VECTORS(longlong, long long, 16, 16)
__WF_VECTORS(ulonglong, unsigned long long, 16, 16)
__WF_VECTORS(float, float, 8, 16)
__WF_VECTORS(double, double, 16, 16)
#undef __WF_VECTORS

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
