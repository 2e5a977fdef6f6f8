// The kernels of expressions.def, a kernel a row, for clang with our headers and for nvcc with CUDA's.
// Compiled and run by test_device_header.c.
#include <assert.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <math.h>
#include <math_constants.h>
#include <stdint.h>
#include <stdio.h>

typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef unsigned short u16;
typedef float f32, number;
typedef double f64, whole, small, unit;
typedef char none;

__constant__ float table[4] = {0.0f, 0.25f, 0.5f, 0.75f};

// -- what takes a few statements ----------------------------------------------------------------------------
static __device__ float modf_part(float a, bool fraction)
{
    float integer, rest = modff(a, &integer);
    return fraction ? rest : integer;
}
static __device__ float frexp_part(float a)
{
    int exponent;
    return frexpf(a, &exponent);
}
static __device__ int frexp_exponent(float a)
{
    int exponent;
    frexpf(a, &exponent);
    return exponent;
}
static __device__ float remquo_part(float a, float b)
{
    int quotient;
    return remquof(a, b, &quotient);
}
static __device__ int remquo_quotient(float a, float b)
{
    int quotient;
    float r = remquof(a, b, &quotient);
    return r == r ? quotient & 7 : 0;
}
static __device__ float sincos_part(float a, bool sine)
{
    float s, c;
    sincosf(a, &s, &c);
    return sine ? s : c;
}
static __device__ int half_near(__half a, float b)
{
    int x = __half_as_short(a), y = __half_as_short(__float2half(b));
    return abs(x - y) <= 1 || (__hisnan(a) && isnan(b));
}
static __device__ u32 half2_bits(__half2 a)
{
    return __half_as_ushort(__low2half(a)) | (u32)__half_as_ushort(__high2half(a)) << 16;
}
static __device__ u16 half_added(__half *at, __half b)
{
    atomicAdd(at, b);
    return __half_as_ushort(*at);
}
static __device__ u32 match_all_part(int a)
{
    int same, other;
    u32 all = __match_all_sync(0xffffffffu, 7, &same),
        none_of = __match_all_sync(0xffffffffu, (int)threadIdx.x, &other);
    return same && !other && none_of == 0 ? all : (u32)a;
}
static __device__ float warp_sum(float a)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) a += __shfl_xor_sync(0xffffffffu, a, offset);
    return a;
}
static __device__ float max_by_cas(float *at, float b)
{
    int old = *(int *)at, expected;
    do {
        expected = old;
        if (!(__int_as_float(expected) < b)) break;
        old = atomicCAS((int *)at, expected, __float_as_int(b));
    } while (old != expected);
    return *at;
}
template <typename OPERATION> static __device__ int tile_reduced(int a, OPERATION operation)
{
    namespace cg = cooperative_groups;
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    return cg::reduce(tile, a, operation);
}
static __device__ u32 tile_facts(int a)
{
    namespace cg = cooperative_groups;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    return tile.ballot(a > 0) | tile.thread_rank() << 16 | tile.meta_group_rank() << 24;
}
static __device__ float float4_sum(float4 v) { return v.x + v.y + v.z + v.w; }
static __device__ float braces(float a)
{
    float4 v = {1.0f, a, 2.0f, 3.0f};
    return v.y;
}
static __device__ float4 copied(float a)
{
    float4 v = make_float4(0, 0, 0, 0), w;
    v.z = a;
    w = v;
    return w;
}
static __device__ u32 sizes()
{
    return sizeof(float2) + sizeof(float4) * 10 + sizeof(float3) * 100 + sizeof(uchar4) * 1000 +
           sizeof(char3) * 10000 + sizeof(double2) * 100000;
}
static __device__ u32 alignments()
{
    return alignof(int2) + alignof(float4) * 10 + alignof(float3) * 100 + alignof(uchar4) * 1000 +
           alignof(char3) * 10000 + alignof(longlong2) * 100000;
}
static __device__ u32 as_dim3(dim3 d) { return d.x * d.y * d.z; }
static __device__ int through_shared(int a)
{
    __shared__ int words[128];
    words[threadIdx.x] = a;
    __syncthreads();
    return words[127 - threadIdx.x];
}
static __device__ int through_dynamic(int a)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = a;
    __syncthreads();
    return dynamic[127 - threadIdx.x];
}
static __device__ int clock_advances()
{
    long long before = clock64();
    __syncthreads();
    return clock64() > before;
}

#define X(NAME, R, A, B, C, EXPRESSION, REFERENCE, ULPS)                                                     \
    extern "C" __global__ void __launch_bounds__(128)                                                        \
        NAME##_row(R *outs, const A *as, const B *bs, const C *cs, A *ats, float *fours)                     \
    {                                                                                                        \
        int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;                              \
        A a = as[i];                                                                                         \
        B b = bs[i];                                                                                         \
        C c = cs[i];                                                                                         \
        A *at = ats + i;                                                                                     \
        float *four = fours + 4 * i;                                                                         \
        (void)a, (void)b, (void)c, (void)at, (void)four, (void)lane;                                         \
        outs[i] = EXPRESSION;                                                                                \
    }
#include "expressions.def"
