// Sums of an array's stretches, a sum a cluster of eight blocks of 256 threads. A block sums a share; block 0 of the
// cluster adds the eight sums. Three ways: block 0 reads remote shared memory between cluster barriers; every
// block sends with st.async, counted on block 0's mbarrier; every block adds to a word of block 0 (32-bit integers).
// `share` is a block's number of elements, a multiple of 1,024. Grid: 8 x the number of sums.
#include "hopper.cuh"

constexpr int cluster_sum_blocks = 8;

template <typename T> DEVICE T cluster_sum_warp(T value)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    return value;
}

// The sum of the block's share, in every thread of warp 0.
template <typename T, typename T4> DEVICE T cluster_sum_block(const T *in, int share)
{
    __shared__ T sums[8];
    const T4 *own = (const T4 *)(in + (size_t)blockIdx.x * share);
    T sum = 0;
    for (int i = threadIdx.x; i < share / 4; i += 256) {
        T4 four = own[i];
        sum += (four.x + four.y) + (four.z + four.w);
    }
    sum = cluster_sum_warp(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    return cluster_sum_warp(threadIdx.x % 32 < 8 ? sums[threadIdx.x % 32] : (T)0);
}

KERNEL void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
    cluster_sum(const float *in, float *out, int share)
{
    __shared__ float own;
    float sum = cluster_sum_block<float, float4>(in, share);
    if (threadIdx.x == 0) own = sum;
    cluster_sync();
    if (cluster_rank() == 0 && threadIdx.x < 32) {
        float part = 0;
        uint32_t remote = cluster_address((uint32_t)__cvta_generic_to_shared(&own), threadIdx.x % 8);
        if (threadIdx.x < 8)
            asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(part) : "r"(remote) : "memory");
        part = cluster_sum_warp(part);
        if (threadIdx.x == 0) out[blockIdx.x / 8] = part;
    }
    cluster_sync(); // no block leaves before block 0 has read `own`
}

KERNEL void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
    cluster_sum_async(const float *in, float *out, int share)
{
    __shared__ float parts[cluster_sum_blocks];
    __shared__ uint64_t full;
    uint32_t barrier = (uint32_t)__cvta_generic_to_shared(&full), rank = cluster_rank();
    if (rank == 0 && threadIdx.x == 0) {
        barrier_init(barrier, 1);
        barrier_init_done();
        barrier_expect(barrier, sizeof parts);
    }
    cluster_sync(); // the barrier is ready
    float sum = cluster_sum_block<float, float4>(in, share);
    if (threadIdx.x == 0)
        asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                         cluster_address((uint32_t)__cvta_generic_to_shared(&parts[rank]), 0)),
                     "f"(sum), "r"(cluster_address(barrier, 0))
                     : "memory");
    if (rank != 0 || threadIdx.x >= 32) return;
    barrier_wait_cluster(barrier, 0);
    sum = cluster_sum_warp(threadIdx.x < 8 ? *(volatile float *)&parts[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[blockIdx.x / 8] = sum;
}

KERNEL void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
    cluster_sum_add(const int *in, int *out, int share)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    cluster_sync();
    int sum = cluster_sum_block<int, int4>(in, share);
    if (threadIdx.x == 0)
        asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0], %1;" ::"r"(
                         cluster_address((uint32_t)__cvta_generic_to_shared(&total), 0)),
                     "r"(sum)
                     : "memory");
    cluster_sync();
    if (cluster_rank() == 0 && threadIdx.x == 0) out[blockIdx.x / 8] = *(volatile int *)&total;
}
