// Bandwidth of L1 and shared memory together: 1,024 threads each follow a chain in either.
#include "device.h"

#define LINKS        (64 * 1024 / 4) // in global memory
#define SHARED_LINKS (48 * 1024 / 4)
#define STEPS        4096

// The chain in global memory; only its first 1,024 links were set where it was measured, the others were zeros.
KERNEL void prepare(unsigned *chain, unsigned stride)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    chain[i] = (i + stride + 1) % LINKS;
}

KERNEL void chase(unsigned *out, const unsigned *chain, unsigned stride)
{
    __shared__ unsigned shared_chain[SHARED_LINKS];
    unsigned at = threadIdx.x, shared_at = threadIdx.x;

    for (unsigned i = threadIdx.x; i < SHARED_LINKS; i += blockDim.x)
        shared_chain[i] = (i + stride + 7) % SHARED_LINKS;
    for (int i = 0; i < LINKS; i++) at = chain[at]; // into L1
    __syncthreads();
    for (int i = 0; i < STEPS; i++) {
        shared_at = shared_chain[shared_at];
        at = chain[at];
    }
    __syncthreads();
    out[threadIdx.x] = shared_at + at;
}
