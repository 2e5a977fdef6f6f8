// Small kernels for `--timeline FILE.html`, one for each lesson of docs/tutorial/lessons.md. lessons.ptx is this file compiled.
#include "device.h"

// Four warps: a warp adds for a time that grows with its number, and meets the others at the barrier.
KERNEL void barrier(float *out)
{
    __shared__ float sums[4];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
#pragma unroll 1
    for (unsigned n = 0; n < 4 * (warp + 1); n++) sum = sum * 0.5f + 1.0f;
    if (lane == 0) sums[warp] = sum;
    __syncthreads(); // every warp waits here for the last
    out[threadIdx.x] = sums[lane % 4];
}

// Shared memory by rows, one word a bank, then by columns, 32 words of one bank.
KERNEL void banks(float *out)
{
    __shared__ float tile[32 * 32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    tile[32 * warp + lane] = (float)lane;
    __syncthreads();
    float row = tile[32 * warp + (lane ^ 1)];
    __syncthreads();
    tile[32 * lane + warp] = row;
    __syncthreads();
    out[threadIdx.x] = tile[32 * (lane ^ 1) + warp];
}

// Global memory twice: 32 words of one line, then 32 words of 32 lines.
KERNEL void coalescing(const float *in, float *out)
{
    float near = in[threadIdx.x];
    out[threadIdx.x] = near;
    __syncthreads();
    float far = in[32 * threadIdx.x];
    out[threadIdx.x] = far;
}

// Every thread waits for a load, adds, and asks for the next.
KERNEL void latency(const float *in, float *out, int rounds)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int n = 0; n < rounds; n++) sum += in[n * threads + thread];
    out[thread] = sum;
}

// Lanes part by their number: half of the warp waits while the other half goes its way.
KERNEL void divergence(float *out)
{
    float value = (float)threadIdx.x;
    if (threadIdx.x % 2) {
#pragma unroll 1
        for (int n = 0; n < 6; n++) value = value * 1.5f + 1.0f;
    } else {
#pragma unroll 1
        for (int n = 0; n < 3; n++) value = value * 0.5f - 1.0f;
    }
    out[threadIdx.x] = value;
}

// DARSIE's Figure 5: three warps, a block of 32 x 3 threads. The load and the addition of 4 depend on threadIdx.x alone: a
// warp executes them for the block. The addition of threadIdx.y is each warp's own. The last warp comes late.
KERNEL void figure5(const int *in, int *out)
{
    __shared__ int table[32];
    int x = threadIdx.x, y = threadIdx.y;
    if (y == 0) table[x] = 2 * x + 1;
    __syncthreads();
    if (y == 2) y += in[0]; // from far
    int r1 = table[x];      // PC0: redundant
    int r2 = r1 + y;        // PC1: the warp's own
    r1 = r1 + 4;            // PC2: redundant, a second version of R1
    r2 = r2 ^ r1;
    if (r1 != 4) { // PC3: taken by all
#pragma unroll 1
        for (int n = 0; n < 2; n++) r2 = r2 * r1;
    }
    out[32 * threadIdx.y + x] = r2;
}
