// The example of decoupled affine computation: a loop whose addresses and whose end are affine in thread and round, so that all of
// it but the load, the addition and the store can be computed once for all warps.
#include "device.h"

#define THREADS 256

// in, out: `rounds` rows of `threads` numbers.
KERNEL void affine_loop(int *out, const int *in, int rounds, int threads)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        int value = in[round * threads + thread];
        out[round * threads + thread] = value + 1;
    }
}
