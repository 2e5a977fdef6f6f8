// European options on a binomial lattice of 2,048 steps (Cox, Ross, Rubinstein 1979), a block an option. A thread keeps
// 16 neighbouring values in registers; of its neighbour it needs one a step, through shared memory.
#include "device.h"

#define THREADS 128
#define OWN 16
#define STEPS (THREADS * OWN)
#define OPTIONS 1024

// What is computed of an option beforehand: the price at expiry of node i is stock * e^(move * (2 i - STEPS)) - strike, and
// a step back weighs the upper node with `up`, the lower one with `down`, both discounted.
struct option {
    float stock, strike, move, up, down;
};

__constant__ option options[OPTIONS];
__device__ option drawn[OPTIONS];
__device__ float prices[OPTIONS];

__device__ __forceinline__ float draw(unsigned number, float low, float high)
{
    number *= 0x9e3779b9;
    number = (number ^ number >> 16) * 0x85ebca6b;
    return low + (high - low) * ((number ^ number >> 13) >> 8) * 0x1p-24f;
}

// Calls of random price, strike and years, at a riskless rate of 0.06 and a volatility of 0.1; copied to `options`.
KERNEL void draw_options()
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float stock = draw(3 * i, 5, 30), strike = draw(3 * i + 1, 1, 100), years = draw(3 * i + 2, 0.25f, 10);
    float step = years / STEPS, move = 0.1f * sqrtf(step), growth = expf(0.06f * step), discount = expf(-0.06f * step);
    float chance = (growth - expf(-move)) / (expf(move) - expf(-move));

    drawn[i] = {stock, strike, move, discount * chance, discount * (1 - chance)};
}

__device__ __forceinline__ float at_expiry(const option &o, int i)
{
    return fmaxf(o.stock * __expf(o.move * (2.0f * i - STEPS)) - o.strike, 0);
}

KERNEL void price_options()
{
    __shared__ float lowest[THREADS + 1];
    const int thread = threadIdx.x;
    const option &o = options[blockIdx.x];
    float value[OWN + 1];

#pragma unroll
    for (int i = 0; i < OWN; i++) value[i] = at_expiry(o, thread * OWN + i);
    if (thread == 0) lowest[THREADS] = at_expiry(o, STEPS);

    const float up = o.up, down = o.down;
    const int last = max(0, thread * OWN - 1); // a thread's values matter down to this step
#pragma unroll 16
    for (int step = STEPS; step > 0; step--) {
        lowest[thread] = value[0];
        __syncthreads();
        value[OWN] = lowest[thread + 1];
        __syncthreads();
        if (step > last) {
#pragma unroll
            for (int i = 0; i < OWN; i++) value[i] = up * value[i + 1] + down * value[i];
        }
    }
    if (thread == 0) prices[blockIdx.x] = value[0];
}
