// The last step of a pass of a radix sort by four bits (Satish, Harris, Garland 2009): segments of 512 keys with
// values, each sorted by the digit, go to their places; and what the steps before leave when the keys are 0 to 1,023
// over and over.
#include "device.h"

#define THREADS 256
#define SEGMENT (2 * THREADS)
#define DIGITS 16

// Key i of all is i % 1024. A segment has each digit SEGMENT / DIGITS times; starts[segment][digit] says where in the
// segment, places[digit][segment] where among all.
KERNEL void sorted_segments(unsigned *keys, unsigned *values, unsigned *starts, unsigned *places)
{
    unsigned segment = blockIdx.x, runs = SEGMENT / DIGITS;

    for (unsigned i = threadIdx.x; i < SEGMENT; i += THREADS)
        keys[segment * SEGMENT + i] = values[segment * SEGMENT + i] =
            (segment * SEGMENT + i % runs * DIGITS + i / runs) % 1024;
    if (threadIdx.x < DIGITS) {
        starts[segment * DIGITS + threadIdx.x] = threadIdx.x * runs;
        places[threadIdx.x * gridDim.x + segment] = (threadIdx.x * gridDim.x + segment) * runs;
    }
}

KERNEL void reorder(unsigned shift, unsigned *out_keys, unsigned *out_values, const uint2 *keys, const uint2 *values,
                    const unsigned *starts, const unsigned *places, unsigned segments)
{
    __shared__ uint2 key_pairs[THREADS], value_pairs[THREADS];
    __shared__ unsigned place[DIGITS], start[DIGITS];
    const unsigned *segment_keys = (const unsigned *)key_pairs, *segment_values = (const unsigned *)value_pairs;
    unsigned i = blockIdx.x * THREADS + threadIdx.x;

    key_pairs[threadIdx.x] = keys[i];
    value_pairs[threadIdx.x] = values[i];
    if (threadIdx.x < DIGITS) {
        place[threadIdx.x] = places[threadIdx.x * segments + blockIdx.x];
        start[threadIdx.x] = starts[blockIdx.x * DIGITS + threadIdx.x];
    }
    __syncthreads();

#pragma unroll
    for (unsigned at = threadIdx.x; at < SEGMENT; at += THREADS) {
        unsigned digit = segment_keys[at] >> shift & (DIGITS - 1);
        unsigned to = place[digit] + at - start[digit];
        out_keys[to] = segment_keys[at];
        out_values[to] = segment_values[at];
    }
}
