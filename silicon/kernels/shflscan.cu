// Prefix sums along the rows of an image of bytes, the first half of an integral image: a block a row, a thread 16
// pixels, which it reads as one vector. Threads sum up their own, a warp scans its threads' totals by shuffles, whose
// values are added to each of the 16 sums as they come, the first warp scans the totals of the warps. Before the 16 sums are written, four neighbouring threads exchange them, so
// that each store of theirs covers 64 bytes that lie together.
#include "device.h"

#define ALL_LANES 0xffffffffu

// Inclusive, over the lanes of `lanes`, and of each of a lane's `count` sums with what the lanes below have.
__device__ __forceinline__ unsigned scan_warp(unsigned lanes, unsigned value, int lane, unsigned *sums, int count)
{
#pragma unroll
    for (int delta = 1; delta < 32; delta *= 2) {
        unsigned below = __shfl_up_sync(lanes, value, delta);
        if (lane >= delta) {
#pragma unroll
            for (int i = 0; i < count; i++) sums[i] += below;
            value += below;
        }
    }
    return value;
}

__device__ __forceinline__ uint4 from_lane(unsigned lanes, uint4 v, int bit)
{
    return make_uint4(__shfl_xor_sync(lanes, v.x, bit), __shfl_xor_sync(lanes, v.y, bit),
                      __shfl_xor_sync(lanes, v.z, bit), __shfl_xor_sync(lanes, v.w, bit));
}

// One of the two steps that transpose four vectors among four lanes: lanes that differ in `bit` swap those vectors
// whose number does not have the bit as the lane has it.
__device__ __forceinline__ void transpose_step(unsigned lanes, uint4 v[4], int lane, int bit)
{
    uint4 other[4];
#pragma unroll
    for (int i = 0; i < 4; i++) other[i ^ bit] = from_lane(lanes, v[i], bit);
#pragma unroll
    for (int i = 0; i < 4; i++)
        if ((lane & bit) != (i & bit)) v[i] = other[i];
}

__device__ __forceinline__ unsigned byte(unsigned word, int i) { return word >> 8 * i & 0xff; }

KERNEL void sum_rows(const uint4 *image, uint4 *sums)
{
    __shared__ unsigned totals[128];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned lanes = __activemask(); // the row's last warp is not full

    uint4 pixels = image[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned words[4] = {pixels.x, pixels.y, pixels.z, pixels.w}, sum[16], total = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) sum[i] = total += byte(words[i / 4], i % 4);

    unsigned scanned = scan_warp(lanes, total, lane, sum, 16);
    if (lane == 31) totals[warp] = scanned;
    __syncthreads();
    if (warp == 0) {
        unsigned warps = lane < blockDim.x / 32 ? totals[lane] : 0;
        totals[lane] = scan_warp(ALL_LANES, warps, lane, NULL, 0);
    }
    __syncthreads();

    unsigned before = warp > 0 ? totals[warp - 1] : 0;
    uint4 v[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = make_uint4(sum[4 * i] + before, sum[4 * i + 1] + before, sum[4 * i + 2] + before,
                          sum[4 * i + 3] + before);
    transpose_step(lanes, v, lane, 1);
    transpose_step(lanes, v, lane, 2);

    // Lane l of four has vector l of each of them.
    int first = (blockIdx.x * blockDim.x + threadIdx.x / 4 * 4) * 4 + lane % 4;
#pragma unroll
    for (int i = 0; i < 4; i++) sums[first + i * 4] = v[i];
}
