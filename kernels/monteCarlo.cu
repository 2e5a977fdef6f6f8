// Asian call options by Monte Carlo simulation (Boyle 1977; normal variates after Box and Muller 1958): a thread follows
// paths of a price, two steps at a time, and keeps the sum of what the option pays for their mean price. Random bits are a
// hash of path and step, so that any path is what it is whoever follows it. No shared memory, no barrier.
#include "device.h"

#define THREADS 384

struct option {
    float start, strike;
    float drift, volatility; // of the logarithm, a step
};

// An integer hash with two multiplications (after Wang and Mueller).
__device__ __forceinline__ unsigned scattered(unsigned x)
{
    x = (x >> 16 ^ x) * 0x45d9f3bu;
    x = (x >> 16 ^ x) * 0x45d9f3bu;
    return x >> 16 ^ x;
}

// In (0, 1), in steps that a float holds exactly.
__device__ __forceinline__ float uniform(unsigned bits)
{
    return ((float)(bits >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

// An option a row of blocks; sums: one a thread of the row. steps is even.
KERNEL void monte_carlo_paths(float *sums, const option *options, int paths, int steps)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    const option o = options[blockIdx.y];
    float sum = 0.0f;
    for (int path = thread; path < paths; path += threads) {
        float logarithm = 0.0f, prices = 0.0f;
        unsigned state = scattered(path + 1 + blockIdx.y * paths);
        for (int step = 0; step < steps; step += 2) {
            unsigned first = scattered(state + step), second = scattered(first ^ state);
            float radius = sqrtf(-2.0f * logf(uniform(first))), angle = 2.0f * uniform(second);
            logarithm += o.drift + o.volatility * radius * cospif(angle);
            prices += expf(logarithm);
            logarithm += o.drift + o.volatility * radius * sinpif(angle);
            prices += expf(logarithm);
        }
        sum += fmaxf(o.start * prices / (float)steps - o.strike, 0.0f);
    }
    sums[blockIdx.y * threads + thread] = sum;
}

// Adds up the sums of an option, a thread an option.
KERNEL void monte_carlo_mean(float *values, const float *sums, int options, int threads, int paths)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= options) return;
    float sum = 0.0f;
    for (int k = 0; k < threads; k++) sum += sums[i * threads + k];
    values[i] = sum / (float)paths;
}
