// PTX instructions of tensor cores and asynchronous copies as functions, for the kernels of this folder.
//
// Values of 16 bits travel as their bits (`f16`, `bf16`), two in a 32-bit register, the even column low. Addresses of shared
// memory are 32-bit offsets of the shared window. Lane t of a warp is g = t / 4 and q = t % 4 in fragments.
#pragma once
#include "../device.h"

typedef unsigned short f16;  // bits of an IEEE half
typedef unsigned short bf16; // upper half of an IEEE single
typedef unsigned char e4m3;  // bits of an 8-bit float, 4 of exponent and 3 of fraction

#define INLINE         static __device__ __forceinline__
#define MINUS_INFINITY (-__builtin_inff())

// Dynamic shared memory of a kernel. 128 bytes are one row of banks.
extern __shared__ __align__(128) unsigned char tensor_shared[];

// Offset of a generic pointer in the shared window.
INLINE unsigned shared_offset(const void *p)
{
    unsigned offset;
    asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }" : "=r"(offset) : "l"(p));
    return offset;
}

// Copies 16 bytes to shared memory past L1. `inside` false: 16 zero bytes, nothing read, so `from` may be any address.
INLINE void copy_16(unsigned to, const void *from, bool inside)
{
    int bytes = inside ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// Copies 4 bytes to shared memory through L1. `inside` false: 4 zero bytes.
INLINE void copy_4(unsigned to, const void *from, bool inside)
{
    int bytes = inside ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// Ends the group of copies that the thread has started since the last call.
INLINE void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most `PENDING` of the thread's latest groups are under way.
template <int PENDING> INLINE void copy_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

// Four 8x8 matrices of 16-bit elements. Lane 8j + i gives the address of row i of matrix j; rows have 16 bytes.
// Register j of lane t: row g, columns 2q and 2q + 1 of matrix j.
INLINE void load_matrices(unsigned (&r)[4], unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

// As load_matrices, transposed: register j of lane t has rows 2q and 2q + 1 of column g.
INLINE void load_matrices_trans(unsigned (&r)[4], unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

// Two singles as halves, `low` in the lower 16 bits.
INLINE unsigned f16_pair(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

INLINE unsigned bf16_pair(float low, float high)
{
    unsigned pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

// The lower and the upper half of a pair as singles.
INLINE float f16_low(unsigned pair)
{
    float x;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(x) : "r"(pair));
    return x;
}

INLINE float f16_high(unsigned pair)
{
    float x;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }" : "=f"(x) : "r"(pair));
    return x;
}

// 2 to the power of x, about 22 bits of the result right.
INLINE float exp2_fast(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// Sum and maximum over the four lanes of equal g, in every lane of the four.
INLINE float quad_sum(float x)
{
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

INLINE float quad_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

// Sum and maximum over a warp, in every lane.
INLINE float warp_sum(float x)
{
    for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(0xffffffffu, x, lanes);
    return x;
}

INLINE float warp_max(float x)
{
    for (int lanes = 16; lanes > 0; lanes /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, lanes));
    return x;
}

// The operations of gemm.h: d += a * b of a warp, on 16 rows, 8 columns and 32 bytes of depth.
//
// `prepare` changes the registers of a fragment before its first use. `store` writes the two results of a row, whose columns
// are adjacent, row half i (0: row g, 1: row g + 8).

#define MMA_FLOAT(shape, types)                                                                              \
    asm volatile("mma.sync.aligned." shape ".row.col." types                                                 \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "                                           \
                 "{%0, %1, %2, %3};"                                                                         \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

struct mma_f16 { // f16 times f16 on singles
    typedef float accumulator[4];
    typedef f16 output;
    static __device__ __forceinline__ void prepare(unsigned (&)[4]) {}
    static __device__ __forceinline__ void multiply(accumulator &d, const unsigned (&a)[4], unsigned b0,
                                                    unsigned b1)
    {
        MMA_FLOAT("m16n8k16", "f32.f16.f16.f32");
    }
    static __device__ __forceinline__ void store(f16 *c, const accumulator &d, int i)
    {
        *(unsigned *)c = f16_pair(d[2 * i], d[2 * i + 1]);
    }
};

struct mma_f16_f16 { // f16 times f16 on halves
    typedef unsigned accumulator[2];
    typedef f16 output;
    static __device__ __forceinline__ void prepare(unsigned (&)[4]) {}
    static __device__ __forceinline__ void multiply(accumulator &d, const unsigned (&a)[4], unsigned b0,
                                                    unsigned b1)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, "
                     "%7}, {%0, %1};"
                     : "+r"(d[0]), "+r"(d[1])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
    static __device__ __forceinline__ void store(f16 *c, const accumulator &d, int i)
    {
        *(unsigned *)c = d[i];
    }
};

struct mma_bf16 { // bf16 times bf16 on singles
    typedef float accumulator[4];
    typedef bf16 output;
    static __device__ __forceinline__ void prepare(unsigned (&)[4]) {}
    static __device__ __forceinline__ void multiply(accumulator &d, const unsigned (&a)[4], unsigned b0,
                                                    unsigned b1)
    {
        MMA_FLOAT("m16n8k16", "f32.bf16.bf16.f32");
    }
    static __device__ __forceinline__ void store(bf16 *c, const accumulator &d, int i)
    {
        *(unsigned *)c = bf16_pair(d[2 * i], d[2 * i + 1]);
    }
};

struct mma_tf32 { // singles rounded to 10 bits of fraction
    typedef float accumulator[4];
    typedef float output;
    static __device__ __forceinline__ void prepare(unsigned (&r)[4])
    {
#pragma unroll
        for (int i = 0; i < 4; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r[i]) : "f"(__uint_as_float(r[i])));
    }
    static __device__ __forceinline__ void multiply(accumulator &d, const unsigned (&a)[4], unsigned b0,
                                                    unsigned b1)
    {
        MMA_FLOAT("m16n8k8", "f32.tf32.tf32.f32");
    }
    static __device__ __forceinline__ void store(float *c, const accumulator &d, int i)
    {
        *(float2 *)c = make_float2(d[2 * i], d[2 * i + 1]);
    }
};

struct mma_tf32_raw : mma_tf32 { // the lower 13 bits of a single ignored
    static __device__ __forceinline__ void prepare(unsigned (&)[4]) {}
};

struct mma_s8 { // signed bytes, exact
    typedef int accumulator[4];
    typedef int output;
    static __device__ __forceinline__ void prepare(unsigned (&)[4]) {}
    static __device__ __forceinline__ void multiply(accumulator &d, const unsigned (&a)[4], unsigned b0,
                                                    unsigned b1)
    {
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
    static __device__ __forceinline__ void store(int *c, const accumulator &d, int i)
    {
        *(int2 *)c = make_int2(d[2 * i], d[2 * i + 1]);
    }
};

struct mma_e4m3 { // 8-bit floats on singles; needs sm_89
    typedef float accumulator[4];
    typedef f16 output;
    static __device__ __forceinline__ void prepare(unsigned (&)[4]) {}
    static __device__ __forceinline__ void multiply(accumulator &d, const unsigned (&a)[4], unsigned b0,
                                                    unsigned b1)
    {
        MMA_FLOAT("m16n8k32", "f32.e4m3.e4m3.f32");
    }
    static __device__ __forceinline__ void store(f16 *c, const accumulator &d, int i)
    {
        *(unsigned *)c = f16_pair(d[2 * i], d[2 * i + 1]);
    }
};
