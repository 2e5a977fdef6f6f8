// Histograms of 8,192 bins, a histogram a cluster of eight blocks of 256 threads: every block holds 1,024 bins in
// shared memory and adds to the bin of the block named by the value. `share` is a block's number of values, a
// multiple of 4. `bins` has 8,192 counts a cluster. Grid: 8 x the number of histograms.
#include "hopper.cuh"

constexpr int histogram_own = 1024;

DEVICE void histogram_add(uint32_t bins, uint32_t value)
{
    uint32_t place = cluster_address(bins + value % histogram_own * 4, value / histogram_own % 8);
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(place) : "memory");
}

KERNEL void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
    cluster_histogram(const uint32_t *in, uint32_t *out, int share)
{
    __shared__ uint32_t own[histogram_own];
    uint32_t bins = (uint32_t)__cvta_generic_to_shared(own);
    const uint4 *from = (const uint4 *)(in + (size_t)blockIdx.x * share);
    for (int i = threadIdx.x; i < histogram_own; i += 256) own[i] = 0;
    cluster_sync();
    for (int i = threadIdx.x; i < share / 4; i += 256) {
        uint4 four = from[i];
        histogram_add(bins, four.x);
        histogram_add(bins, four.y);
        histogram_add(bins, four.z);
        histogram_add(bins, four.w);
    }
    cluster_sync();
    for (int i = threadIdx.x; i < histogram_own; i += 256) out[blockIdx.x * histogram_own + i] = own[i];
}
