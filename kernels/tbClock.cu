// When blocks and their warps begin and end (the experiment of Figure 17 in Xiang's thesis): the first warp of every block waits
// until `delay` cycles of its SM have gone by, the others end at once. Whether a block that waits for room begins when the
// short warps of a block are done or when the long one is shows in its time.
#include "device.h"

#define THREADS 1024

// Of every warp: two cycles of the SM's clock.
KERNEL void tb_clock(long long *begins, long long *ends, long long delay)
{
    const int tid = threadIdx.x, warp = (blockIdx.x * THREADS + tid) / 32;
    const long long begin = clock64();
    long long now = begin;
    if (tid < 32)
        while (now - begin < delay) now = clock64();
    if (tid % 32) return;
    begins[warp] = begin;
    ends[warp] = clock64();
}
