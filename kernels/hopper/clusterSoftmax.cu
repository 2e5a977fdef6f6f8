// Softmax of long rows, a row a cluster of eight blocks of 256 threads. A block keeps an eighth of the row in dynamic
// shared memory; greatest values and sums go to the shared memory of eight blocks by remote stores.
// `columns` is a multiple of 8,192. Grid: 8 x the number of rows.
#include "hopper.cuh"

// Of the block's values, in every thread: the greatest, or the sum.
template <bool sum> DEVICE float softmax_reduce(float value, float *warps)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, step);
        value = sum ? value + other : fmaxf(value, other);
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
#pragma unroll
    for (int i = 1; i < 8; i++) value = sum ? value + warps[i] : fmaxf(value, warps[i]);
    return value;
}

// Over the cluster: a block writes `value` to place `rank` of every block's shared memory.
template <bool sum> DEVICE float softmax_exchange(float value, float *blocks)
{
    uint32_t place = (uint32_t)__cvta_generic_to_shared(blocks + cluster_rank());
    if (threadIdx.x < 8)
        asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(cluster_address(place, threadIdx.x)), "f"(value)
                     : "memory");
    cluster_sync();
    value = blocks[0];
#pragma unroll
    for (int i = 1; i < 8; i++) value = sum ? value + blocks[i] : fmaxf(value, blocks[i]);
    return value;
}

KERNEL void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
    cluster_softmax(const float *in, float *out, int columns)
{
    extern __shared__ float4 values[];
    __shared__ float warps[2][8], blocks[2][8];
    int count = columns / 32; // float4s of the block
    size_t start = (size_t)blockIdx.x * count;
    const float4 *from = (const float4 *)in + start;
    float4 *to = (float4 *)out + start;

    float greatest = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < count; i += 256) {
        float4 x = values[i] = from[i];
        greatest = fmaxf(greatest, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
    }
    cluster_sync(); // every block of the cluster has started
    greatest = softmax_exchange<false>(softmax_reduce<false>(greatest, warps[0]), blocks[0]);
    for (int i = threadIdx.x; i < count; i += 256) {
        float4 x = values[i];
        x = make_float4(__expf(x.x - greatest), __expf(x.y - greatest), __expf(x.z - greatest),
                        __expf(x.w - greatest));
        values[i] = x;
        sum += (x.x + x.y) + (x.z + x.w);
    }
    float scale = 1 / softmax_exchange<true>(softmax_reduce<true>(sum, warps[1]), blocks[1]);
    for (int i = threadIdx.x; i < count; i += 256) {
        float4 x = values[i];
        to[i] = make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
    }
}
