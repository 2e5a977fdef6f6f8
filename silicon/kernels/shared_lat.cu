// Latency of shared memory: a warp makes a chain of 64-bit numbers there, one thread follows it for 2,048
// steps.
#include "device.h"

#define LINKS (48 * 1024 / 8)
#define STEPS 2048

KERNEL void chase(unsigned long long *out, unsigned stride)
{
    __shared__ unsigned long long chain[LINKS];

    for (unsigned i = threadIdx.x; i < LINKS - stride; i += blockDim.x) chain[i] = (i + stride) % LINKS;
    if (threadIdx.x == 0) {
        unsigned long long at = 0;
        for (int i = 0; i < STEPS; i++) at = chain[at];
        *out = at;
    }
}
