// Exclusive prefix sums of segments of up to 1,024 values, four a thread: each thread its own four, then the
// threads' totals by the doubling scan of Hillis and Steele (1986), behind as many zeros; and the addition of a
// segment's offset to it.
#include "device.h"

#define THREADS 256

// Of as many neighbouring threads as `size` says; `sums` has two words a thread.
__device__ __forceinline__ unsigned scan_inclusive(unsigned value, volatile unsigned *sums, unsigned size)
{
    unsigned at = 2 * threadIdx.x - (threadIdx.x & (size - 1));

    sums[at] = 0;
    at += size;
    sums[at] = value;
    for (unsigned offset = 1; offset < size; offset <<= 1) {
        __syncthreads();
        unsigned sum = sums[at] + sums[at - offset];
        __syncthreads();
        sums[at] = sum;
    }
    return sums[at];
}

KERNEL void scan_exclusive(uint4 *out, const uint4 *in, unsigned size)
{
    __shared__ unsigned sums[2 * THREADS];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 v = in[i];

    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    unsigned before = scan_inclusive(v.w, sums, size / 4) - v.w;
    out[i] = make_uint4(before, before + v.x, before + v.y, before + v.z);
}

KERNEL void add_offset(uint4 *data, const unsigned *offsets)
{
    __shared__ unsigned offset;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0) offset = offsets[blockIdx.x];
    __syncthreads();
    uint4 v = data[i];
    v.x += offset;
    v.y += offset;
    v.z += offset;
    v.w += offset;
    data[i] = v;
}
