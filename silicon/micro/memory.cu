// Memory: rings of pointers for latencies, loads of many warps at given distances for rates.
#include "device.h"

typedef unsigned long long pointer;

// -- rings: every load says where the next one goes --------------------------------------------------------------------

// `nodes` pointers, `stride` bytes from one to the next, closed to a ring.
KERNEL void ring_make(char *ring, unsigned nodes, unsigned stride)
{
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < nodes) *(pointer *)(ring + (pointer)n * stride) = (pointer)(ring + (pointer)((n + 1) % nodes) * stride);
}

KERNEL void ring_walk(const char *ring, unsigned steps, pointer *end)
{
    const pointer *at = (const pointer *)ring;
#pragma unroll 32
    for (unsigned n = 0; n < steps; n++) at = (const pointer *)*at;
    *end = (pointer)at;
}

// The same with offsets, to be copied to where there are no pointers.
KERNEL void offsets_make(unsigned *ring, unsigned nodes, unsigned stride)
{
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    if (n < nodes) ring[n * (stride / 4)] = (n + 1) % nodes * stride;
}

__constant__ unsigned constants[16384];

KERNEL void constant_walk(unsigned steps, unsigned *end)
{
    unsigned at = 0;
#pragma unroll 32
    for (unsigned n = 0; n < steps; n++) at = *(const unsigned *)((const char *)constants + at);
    *end = at;
}

// Constants are zero: lanes ask for `distinct` words, again and again.
KERNEL void constant_spread(unsigned distinct, unsigned steps, unsigned *end)
{
    unsigned at = threadIdx.x % distinct * 4;
#pragma unroll 32
    for (unsigned n = 0; n < steps; n++) at += *(const unsigned *)((const char *)constants + at);
    end[threadIdx.x] = at;
}

// A word of shared or local memory that holds its own address: 64 loads a round.
KERNEL void shared_walk(unsigned rounds, unsigned *end)
{
    __shared__ unsigned word;
    unsigned at = (unsigned)__cvta_generic_to_shared(&word);
    if (threadIdx.x == 0) word = at;
    __syncthreads();
#pragma unroll 1
    for (unsigned n = 0; n < rounds; n++)
#pragma unroll
        for (unsigned k = 0; k < 64; k++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
    end[threadIdx.x] = at;
}

KERNEL void local_walk(unsigned rounds, pointer *end)
{
    pointer word;
    pointer at = (pointer)__cvta_generic_to_local(&word);
    asm volatile("st.local.u64 [%0], %0;" ::"l"(at) : "memory");
#pragma unroll 1
    for (unsigned n = 0; n < rounds; n++)
#pragma unroll
        for (unsigned k = 0; k < 64; k++) asm volatile("ld.local.u64 %0, [%0];" : "+l"(at));
    end[threadIdx.x] = at;
}

// -- shared memory: lanes `stride` words of 4, 8 or 16 bytes apart; what they load is zero ---------------------------------

enum { SHARED_BYTES = 32768 };

#define SHARED(name, bytes, load)                                                                                      \
    KERNEL void name(unsigned stride, unsigned rounds, unsigned *end)                                                  \
    {                                                                                                                  \
        __shared__ __align__(16) char words[SHARED_BYTES];                                                             \
        for (unsigned n = threadIdx.x; n < SHARED_BYTES / 4; n += blockDim.x) ((unsigned *)words)[n] = 0;              \
        __syncthreads();                                                                                               \
        unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * stride * bytes % SHARED_BYTES;    \
        _Pragma("unroll 1") for (unsigned n = 0; n < rounds; n++)                                                      \
        {                                                                                                              \
            _Pragma("unroll") for (unsigned k = 0; k < 32; k++) asm volatile(load : "+r"(at));                         \
        }                                                                                                              \
        end[threadIdx.x] = at;                                                                                         \
    }
SHARED(shared_load_4, 4, "{.reg .u32 t; ld.shared.u32 t, [%0]; add.u32 %0, %0, t;}")
SHARED(shared_load_8, 8, "{.reg .u32 t, u; ld.shared.v2.u32 {t, u}, [%0]; or.b32 t, t, u; add.u32 %0, %0, t;}")
SHARED(shared_load_16, 16,
       "{.reg .u32 t, u, v, w; ld.shared.v4.u32 {t, u, v, w}, [%0]; or.b32 t, t, u; or.b32 v, v, w; or.b32 t, t, v; "
       "add.u32 %0, %0, t;}")

// Additions of 0 to words of shared memory `stride` words apart, 32 a round.
KERNEL void shared_atomics(unsigned stride, unsigned rounds, unsigned *end)
{
    __shared__ unsigned words[1024];
    words[threadIdx.x] = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * stride * 4;
#pragma unroll 1
    for (unsigned n = 0; n < rounds; n++)
#pragma unroll
        for (unsigned k = 0; k < 32; k++)
            asm volatile("{.reg .u32 t; atom.shared.add.u32 t, [%0], 0; add.u32 %0, %0, t;}" : "+r"(at));
    end[threadIdx.x] = at;
}

// -- global memory -----------------------------------------------------------------------------------------------------

// Lanes `stride` words apart, all warps the same ones, which hold zeros: 32 loads a round.
KERNEL void lines_load_4(const unsigned *words, unsigned stride, unsigned rounds, unsigned *end)
{
    pointer at = (pointer)(words + threadIdx.x % 32 * stride);
#pragma unroll 1
    for (unsigned n = 0; n < rounds; n++)
#pragma unroll
        for (unsigned k = 0; k < 32; k++)
            asm volatile("{.reg .u32 t; .reg .u64 u; ld.global.u32 t, [%0]; cvt.u64.u32 u, t; add.u64 %0, %0, u;}" : "+l"(at));
    end[threadIdx.x] = (unsigned)at;
}

KERNEL void lines_load_8(const pointer *words, unsigned stride, unsigned rounds, unsigned *end)
{
    pointer at = (pointer)(words + threadIdx.x % 32 * stride);
#pragma unroll 1
    for (unsigned n = 0; n < rounds; n++)
#pragma unroll
        for (unsigned k = 0; k < 32; k++)
            asm volatile("{.reg .u64 t; ld.global.u64 t, [%0]; add.u64 %0, %0, t;}" : "+l"(at));
    end[threadIdx.x] = (unsigned)at;
}

// Every block reads the same `count` words of 8 bytes, `rounds` times, beginning at another place: blocks of an SM do not
// share what one of them has just got.
KERNEL void reread(const double *words, unsigned count, unsigned rounds, double *end)
{
    double sum = 0;
    unsigned first = blockIdx.x * blockDim.x % count;
    for (unsigned n = 0; n < rounds; n++) {
#pragma unroll 8
        for (unsigned k = first + threadIdx.x; k < count; k += blockDim.x) sum += words[k];
#pragma unroll 8
        for (unsigned k = threadIdx.x; k < first; k += blockDim.x) sum += words[k];
        asm volatile("" ::: "memory"); // so that no round is made of another's loads
    }
    if (sum != 0) *end = sum;
}

// Additions of 1 to words of global memory, lanes and warps `stride` words apart (0: all to one): with the old value,
// which the next one waits for, and without.
KERNEL void atomics_return(unsigned *words, unsigned stride, unsigned count)
{
    unsigned *word = words + (blockIdx.x * blockDim.x + threadIdx.x) * stride, never = ~0u;
    for (unsigned n = 0; n < count; n++)
        if (atomicAdd(word, 1) == never) word++;
}

KERNEL void atomics_reduce(unsigned *words, unsigned stride, unsigned count)
{
    unsigned *word = words + (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    for (unsigned n = 0; n < count; n++) atomicAdd(word, 1);
}

// -- streams: a thread an element ---------------------------------------------------------------------------------------

KERNEL void stream_write(double *to) { to[blockIdx.x * blockDim.x + threadIdx.x] = 1.5; }

KERNEL void stream_read(const double *__restrict__ from, double *end)
{
    double value = from[blockIdx.x * blockDim.x + threadIdx.x];
    if (value == 1.5) *end = value;
}

KERNEL void stream_scale(double *__restrict__ to, const double *__restrict__ from)
{
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    to[n] = from[n] * 1.5;
}

KERNEL void stream_triad(double *__restrict__ to, const double *__restrict__ a, const double *__restrict__ b,
                         const double *__restrict__ c)
{
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    to[n] = a[n] * b[n] + c[n];
}

// A word every `stride` words, and words in no order (a thread's place is scattered by an odd factor): sectors.
KERNEL void stream_stride(const unsigned *__restrict__ from, unsigned stride, unsigned *end)
{
    unsigned value = from[(blockIdx.x * blockDim.x + threadIdx.x) * stride];
    if (value) *end = value;
}

KERNEL void stream_scatter(const unsigned *__restrict__ from, unsigned mask, unsigned *end)
{
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = from[(n * 2654435761u >> 4 & mask) * 8];
    if (value) *end = value;
}

// -- textures -----------------------------------------------------------------------------------------------------------

// Texels are zero: rows of 32, a warp a row, 32 fetches a round, each waiting for the one before.
KERNEL void texture_fetch(cudaTextureObject_t texture, unsigned rounds, float *end)
{
    float x = threadIdx.x % 32, y = threadIdx.x / 32;
#pragma unroll 1
    for (unsigned n = 0; n < rounds; n++)
#pragma unroll
        for (unsigned k = 0; k < 32; k++) x += texture_f32(texture, x, y);
    end[threadIdx.x] = x;
}
