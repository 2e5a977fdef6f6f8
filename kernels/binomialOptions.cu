// European call options on a binomial lattice, an option a block (Cox, Ross and Rubinstein). The value of a
// node is the discounted mean of its two successors, so a level of the lattice follows from the one after it:
//
//      level t       v0   v1   v2   v3            v[i] = up · v[i+1] + down · v[i]
//                    | \  | \  | \  |
//      level t+1     v0   v1   v2   v3   v4
//
// One level is kept in global memory. The block goes over it in tiles of 256 nodes; a tile is carried DELTA
// levels back in shared memory, which makes it DELTA nodes shorter, hence tiles start 256 - DELTA apart.
#include "device.h"

#define THREADS     256
#define DELTA       32 // even: levels go back in pairs, from one buffer to the other and back
#define TILE_STEP   (THREADS - DELTA)
#define MAX_OPTIONS 512

struct option {
    float spot, strike;
    float volatility_step; // volatility · sqrt(time step)
    float up, down;        // probabilities of the two moves, discounted by one step
};

__constant__ struct option options[MAX_OPTIONS];

__device__ __forceinline__ float value_at_expiry(const struct option *o, int node, int steps)
{
    float price = o->spot * expf(o->volatility_step * (2.0f * node - steps));
    return fmaxf(price - o->strike, 0.0f);
}

// level: steps + 1 nodes (rounded up to `pitch`) for every option; steps is a multiple of DELTA.
KERNEL void binomial_options(float *level, float *value, int steps, int pitch)
{
    __shared__ float even[THREADS + 1], odd[THREADS + 1];
    const int tid = threadIdx.x;
    const struct option *option = &options[blockIdx.x];
    const float up = option->up, down = option->down;
    float *node = level + blockIdx.x * pitch;

    for (int i = tid; i <= steps; i += THREADS) node[i] = value_at_expiry(option, i, steps);

    // Nodes past a tile's end are computed like the others and never used; they start from zero, not from
    // whatever shared memory held.
    even[tid] = 0.0f;
    if (tid == 0) even[THREADS] = odd[THREADS] = 0.0f;

    for (int last = steps; last > 0; last -= DELTA) {
        for (int base = 0; base < last; base += TILE_STEP) {
            int tile_last = min(THREADS - 1, last - base);
            int tile_end = tile_last - DELTA;

            __syncthreads();
            if (tid <= tile_last) even[tid] = node[base + tid];
            for (int k = tile_last - 1; k >= tile_end; k -= 2) {
                __syncthreads();
                odd[tid] = up * even[tid + 1] + down * even[tid];
                __syncthreads();
                even[tid] = up * odd[tid + 1] + down * odd[tid];
            }
            __syncthreads();
            if (tid <= tile_end) node[base + tid] = even[tid];
        }
    }
    if (tid == 0) value[blockIdx.x] = even[0];
}
