// Kernels with one planted cost each, and repaired kernels, for test_profile.c. causes.ptx is made from this
// file by
// clang -x cuda --cuda-path=/nonexistent --cuda-device-only --cuda-gpu-arch=sm_60 -nocudainc -nocudalib -O3
//     -Xclang -target-feature -Xclang +ptx70 -Ikernels -isystem kernels/include -gline-tables-only
//     -fdebug-compilation-dir=. -S
#include "device.h"

enum { SIDE = 32 };

// A tiled product: columns of the right tile lie in one bank.
template <int PITCH> static __device__ void product(const float *a, const float *b, float *out, int n)
{
    __shared__ float left[SIDE][SIDE], right[SIDE][PITCH];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
    float sum = 0;
    for (int t = 0; t < n; t += SIDE) {
        left[y][x] = a[row * n + t + x];
        right[x][y] = b[(t + y) * n + column];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < SIDE; k++)
            sum += left[y][k] * right[x][k]; // bank conflicts
        __syncthreads();
    }
    out[row * n + column] = sum;
}
KERNEL void conflicts(const float *a, const float *b, float *out, int n) { product<SIDE>(a, b, out, n); }
KERNEL void padded(const float *a, const float *b, float *out, int n) { product<SIDE + 1>(a, b, out, n); }

KERNEL void transpose(const float *in, float *out, int n)
{
    int x = blockIdx.x * SIDE + threadIdx.x;
    for (int y = blockIdx.y * SIDE + threadIdx.y; y < (blockIdx.y + 1) * SIDE; y += 8)
        out[x * n + y] = in[y * n + x]; // uncoalesced
}
KERNEL void transpose_tiled(const float *in, float *out, int n)
{
    __shared__ float tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE;
    for (int k = threadIdx.y; k < SIDE; k += 8) tile[k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * SIDE + threadIdx.x;
    y = blockIdx.x * SIDE;
    for (int k = threadIdx.y; k < SIDE; k += 8) out[(y + k) * n + x] = tile[threadIdx.x][k];
}

static __device__ float work(float x, int turns)
{
    float y = x + 1, z = x + 2, w = x + 3;
    for (int k = 0; k < turns; k++) { // work
        x = x * 0.5f + 1;
        y = y * 0.5f + 1;
        z = z * 0.5f + 1;
        w = w * 0.5f + 1;
    }
    return x + y + z + w;
}

// Blocks of equal work: the grid decides on the waves.
KERNEL void equal(float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = work(i, turns);
}

// The last block of many works longer.
KERNEL void unequal(float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = work(i, blockIdx.x + 1 == gridDim.x ? 10 * turns : turns);
}

// In turn each warp works alone between two barriers.
KERNEL void barriers(float *out, int turns)
{
    __shared__ float kept[256];
    float x = threadIdx.x;
    for (int k = 0; k < 16; k++) {
        if (threadIdx.x / 32 == k % 8) x = work(x, turns);
        kept[threadIdx.x] = x;
        __syncthreads(); // barrier
        x = x + kept[(threadIdx.x + 32) % 256];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

KERNEL void literal(const float *in, float *out, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 64; k++) x = x * 0.3 + a; // double literal
    out[i] = x;
}

// 1,200 instructions, executed once by few warps.
KERNEL void cold(float *out, float a)
{
    float x = threadIdx.x;
#pragma unroll
    for (int k = 0; k < 600; k++) x = x * a + (float)k; // cold code
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

KERNEL void counted(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++) atomicAdd(out + (in[i] & 0), threadIdx.x + in[i] + k); // atomics
}

KERNEL void divided(const float *in, float *out, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 64; k++) x = a / (x + 1.5f); // division
    out[i] = x;
}

// 40 values alive in 24 registers.
KERNEL void __launch_bounds__(256) spilled(const float *in, float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[40], sum = 0;
#pragma unroll
    for (int k = 0; k < 40; k++) v[k] = in[i + k * 1024];
    for (int t = 0; t < turns; t++) {
#pragma unroll
        for (int k = 0; k < 40; k++) v[k] = v[k] * v[(k + 7) % 40] + 1; // spills
    }
#pragma unroll
    for (int k = 0; k < 40; k++) sum += v[k];
    out[i] = sum;
}

// Every lane goes its own way, with as much work as the others.
KERNEL void divergent(const int *in, float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i;
    for (int k = 0; k < turns; k++) {
        switch (in[i] + k & 7) { // divergence
        case 0: x = x * 0.5f + 1, x = x * x + 2, x = x * 0.25f + 3, x = x * x - 7; break;
        case 1: x = x * 0.6f - 1, x = x * x + 3, x = x * 0.35f + 4, x = x * x - 6; break;
        case 2: x = x * 0.7f + 2, x = x * x + 4, x = x * 0.45f + 5, x = x * x - 5; break;
        case 3: x = x * 0.8f - 2, x = x * x + 5, x = x * 0.55f + 6, x = x * x - 4; break;
        case 4: x = x * 0.9f + 3, x = x * x + 6, x = x * 0.65f + 7, x = x * x - 3; break;
        case 5: x = x * 0.4f - 3, x = x * x + 7, x = x * 0.75f + 8, x = x * x - 2; break;
        case 6: x = x * 0.3f + 4, x = x * x + 8, x = x * 0.85f + 9, x = x * x - 1; break;
        default: x = x * 0.2f - 4, x = x * x + 9, x = x * 0.95f + 1, x = x * x - 8; break;
        }
    }
    out[i] = x;
}

// Each load needs the load before.
KERNEL void chase(const int *next, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < 100; k++) at = next[at]; // exposed load
    out[i] = at;
}

// A chain of long latencies; shared memory or registers by the launch keep other blocks away.
KERNEL void chain(float *out, float a, int turns)
{
    float x = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < turns; k++) x = x * a + 1; // chain
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// -- repaired kernels -----------------------------------------------------------------------------------------------

// barriers: all warps work between the same barriers.
KERNEL void barriers_even(float *out, int turns)
{
    __shared__ float kept[256];
    float x = threadIdx.x;
    for (int k = 0; k < 16; k++) {
        if (k % 8 == 0) x = work(x, turns);
        kept[threadIdx.x] = x;
        __syncthreads();
        x = x + kept[(threadIdx.x + 32) % 256];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

KERNEL void literal_float(const float *in, float *out, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 64; k++) x = x * 0.3f + a;
    out[i] = x;
}

// cold: a loop in place of unrolled code.
KERNEL void cold_rolled(float *out, float a)
{
    float x = threadIdx.x;
    float y = 0;
#pragma unroll 4
    for (int k = 0; k < 600; k++, y += 1) x = x * a + y;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// counted: a sum of the warp, then one atomic.
KERNEL void counted_once(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 8 * (threadIdx.x + in[i]) + 28;
#pragma unroll
    for (int n = 16; n; n /= 2) sum += __shfl_down_sync(~0u, sum, n);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

KERNEL void divided_fast(const float *in, float *out, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < 64; k++) x = __fdividef(a, x + 1.5f);
    out[i] = x;
}

// divergent: the lanes of a warp have the same case.
KERNEL void divergent_sorted(const int *in, float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i;
    for (int k = 0; k < turns; k++) {
        switch (in[i / 32] + k & 7) {
        case 0: x = x * 0.5f + 1, x = x * x + 2, x = x * 0.25f + 3, x = x * x - 7; break;
        case 1: x = x * 0.6f - 1, x = x * x + 3, x = x * 0.35f + 4, x = x * x - 6; break;
        case 2: x = x * 0.7f + 2, x = x * x + 4, x = x * 0.45f + 5, x = x * x - 5; break;
        case 3: x = x * 0.8f - 2, x = x * x + 5, x = x * 0.55f + 6, x = x * x - 4; break;
        case 4: x = x * 0.9f + 3, x = x * x + 6, x = x * 0.65f + 7, x = x * x - 3; break;
        case 5: x = x * 0.4f - 3, x = x * x + 7, x = x * 0.75f + 8, x = x * x - 2; break;
        case 6: x = x * 0.3f + 4, x = x * x + 8, x = x * 0.85f + 9, x = x * x - 1; break;
        default: x = x * 0.2f - 4, x = x * x + 9, x = x * 0.95f + 1, x = x * x - 8; break;
        }
    }
    out[i] = x;
}

// chase: the links of a block are in shared memory.
KERNEL void chase_shared(const int *next, int *out)
{
    __shared__ int links[256];
    int first = blockIdx.x * blockDim.x, at = threadIdx.x;
    links[at] = next[first + at] - first;
    __syncthreads();
    for (int k = 0; k < 100; k++) at = links[at];
    out[first + threadIdx.x] = first + at;
}

// An index by a remainder: without the division, a what-if run has to stay in the array.
KERNEL void remainders(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += in[(i * 2654435761u + k * 40503u) % n];
    out[i] = sum;
}

// Atomics of a warp on one word of shared memory, and on a word a lane.
template <int WORDS> static __device__ void count_shared(const int *in, int *out, int turns)
{
    __shared__ int counts[32];
    if (threadIdx.x < 32) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < turns; k++) atomicAdd(&counts[threadIdx.x % WORDS], in[threadIdx.x] + k);
    __syncthreads();
    if (threadIdx.x < WORDS) out[blockIdx.x * WORDS + threadIdx.x] = counts[threadIdx.x];
}

KERNEL void shared_counts(const int *in, int *out, int turns) { count_shared<1>(in, out, turns); }

KERNEL void shared_counts_apart(const int *in, int *out, int turns) { count_shared<32>(in, out, turns); }

// A small table of a thread, indexed by values: in local memory, and in shared memory.
KERNEL void table_local(const int *in, float *out, int turns)
{
    float table[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = in[i];
    for (int k = 0; k < 16; k++) table[k] = k;
    for (int k = 0; k < turns; k++) {
        at = at * 5 + 3;
        table[at & 15] += 0.5f; // local array
    }
    out[i] = table[at & 15];
}

KERNEL void table_shared(const int *in, float *out, int turns)
{
    __shared__ float tables[16 * 128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = in[i];
    for (int k = 0; k < 16; k++) tables[k * 128 + threadIdx.x] = k;
    for (int k = 0; k < turns; k++) {
        at = at * 5 + 3;
        tables[(at & 15) * 128 + threadIdx.x] += 0.5f;
    }
    out[i] = tables[(at & 15) * 128 + threadIdx.x];
}

// A warp of a block has all work between two barriers, or a part as every other.
template <bool EVEN> static __device__ void phases(float *out, int turns)
{
    __shared__ float kept[256];
    float x = threadIdx.x;
    for (int k = 0; k < 16; k++) {
        int own = EVEN ? turns / 8 : threadIdx.x < 32 ? turns : 0;
        for (int n = 0; n < own; n++) x = x * 0.5f + 1; // uneven
        kept[threadIdx.x] = x;
        __syncthreads();
        x = x + kept[(threadIdx.x + 32) % 256];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
KERNEL void uneven(float *out, int turns) { phases<false>(out, turns); }
KERNEL void even(float *out, int turns) { phases<true>(out, turns); }

// The first warp of a block goes on while the others have ended.
KERNEL void long_warp(float *out, int turns)
{
    float x = threadIdx.x;
    for (int k = 0; k < (threadIdx.x < 32 ? 9 * turns : turns); k++) x = x * 1.0001f + 0.5f; // long warp
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

KERNEL void equal_warps(float *out, int turns)
{
    float x = threadIdx.x;
    for (int k = 0; k < turns; k++) x = x * 1.0001f + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Four powers a turn, and as many multiplications and additions in their place.
template <bool POWERS> static __device__ float step(float x)
{
    return POWERS ? __nvvm_ex2_approx_ftz_f(-x) : 1 - x * 0.5f; // special function
}

template <bool POWERS> static __device__ void steps(float *out, int turns)
{
    float x = threadIdx.x * 0.001f, y = x + 1, z = x + 2, w = x + 3;
    for (int k = 0; k < turns; k++) {
        x = step<POWERS>(x);
        y = step<POWERS>(y);
        z = step<POWERS>(z);
        w = step<POWERS>(w);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z + w;
}

KERNEL void powers(float *out, int turns) { steps<true>(out, turns); }
KERNEL void products(float *out, int turns) { steps<false>(out, turns); }
