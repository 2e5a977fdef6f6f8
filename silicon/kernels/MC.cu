// Monte Carlo methods, a block's sum at the end of each: pi by points of a generator that every thread carries along, or
// by points that were made before, and the value of an option over paths that were made before.
#include "device.h"

// In thread 0 the sum over the block, by a tree in shared memory.
template <typename T> __device__ __forceinline__ T block_sum(T value, T *sums)
{
    sums[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    return sums[0];
}

// -- pi, by points of Sobol's sequence in two dimensions ------------------------------------------------------------

#define BITS 32

// One coordinate, which a thread copies to local memory, since the index chooses the direction. Point i is the XOR of
// the directions that the Gray code of i has (Antonov and Saleev 1979).
struct sobol {
    unsigned index, value, scramble, direction[BITS];
};

// A generator a thread and dimension, thread t's at point t.
KERNEL void seed_sobol(sobol *states, const unsigned *directions, unsigned threads)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, dimension = blockIdx.y;
    if (thread >= threads) return;

    sobol *state = &states[dimension * threads + thread];
    unsigned gray = thread ^ thread >> 1, value = 0;
    for (int bit = 0; bit < BITS; bit++) {
        unsigned direction = directions[dimension * BITS + bit];
        state->direction[bit] = direction;
        if (gray >> bit & 1) value ^= direction;
    }
    state->index = thread;
    state->value = value;
    state->scramble = 0;
}

// Word by word, without a loop.
__device__ __forceinline__ void load(sobol &state, const sobol &from)
{
    state.index = from.index;
    state.value = from.value;
    state.scramble = from.scramble;
#pragma unroll
    for (int bit = 0; bit < BITS; bit++) state.direction[bit] = from.direction[bit];
}

__device__ __forceinline__ float next_sobol(sobol &state)
{
    unsigned value = state.value;
    state.value ^= state.direction[__ffs(~state.index) - 1];
    state.index++;
    return value * 0x1p-32f + 0x1p-33f;
}

KERNEL void pi_sobol(unsigned *inside, const sobol *states, unsigned points)
{
    extern __shared__ unsigned sums[];
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x, count = 0;
    sobol x_state, y_state;
    load(x_state, states[thread]);
    load(y_state, states[threads + thread]);

#pragma unroll 1
    for (unsigned i = thread; i < points; i += threads) {
        float x = next_sobol(x_state), y = next_sobol(y_state);
        if (x * x + y * y < 1) count++;
    }
    count = block_sum(count, sums);
    if (threadIdx.x == 0) inside[blockIdx.x] = count;
}

// -- pi, by points of Marsaglia's XORWOW (2003) ---------------------------------------------------------------------

// As large as a generator that keeps a second normal variate for later, a double at most.
struct alignas(8) xorwow {
    unsigned counter, v[5], unused[6];
};

// Another sequence a thread: words of a mixing function in place of a jump of 2^67 steps.
KERNEL void seed_xorwow(xorwow *states, unsigned threads)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads) return;

    unsigned word = thread;
    for (int i = 0; i < 5; i++) {
        word += 0x9e3779b9;
        word = (word ^ word >> 16) * 0x85ebca6b;
        word = (word ^ word >> 13) * 0xc2b2ae35;
        states[thread].v[i] = word ^ word >> 16;
    }
    states[thread].counter = 6615241;
}

__device__ __forceinline__ float next_xorwow(xorwow &state)
{
    unsigned t = state.v[0] ^ state.v[0] >> 2;
    for (int i = 0; i < 4; i++) state.v[i] = state.v[i + 1];
    state.v[4] = state.v[4] ^ state.v[4] << 4 ^ t ^ t << 1;
    state.counter += 362437;
    return (state.counter + state.v[4]) * 0x1p-32f + 0x1p-33f;
}

KERNEL void pi_xorwow(unsigned *inside, const xorwow *states, unsigned points)
{
    extern __shared__ unsigned sums[];
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x, count = 0;
    xorwow state = states[thread];

#pragma unroll 1
    for (unsigned i = thread; i < points; i += threads) {
        float x = next_xorwow(state), y = next_xorwow(state);
        if (x * x + y * y < 1) count++;
    }
    count = block_sum(count, sums);
    if (threadIdx.x == 0) inside[blockIdx.x] = count;
}

// -- pi, by points in memory: all x, then all y ---------------------------------------------------------------------

KERNEL void pi_points(unsigned *inside, const float *coordinates, unsigned points)
{
    extern __shared__ unsigned sums[];
    unsigned threads = gridDim.x * blockDim.x, count = 0;
    const float *x = coordinates, *y = coordinates + points;

#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += threads)
        if (x[i] * x[i] + y[i] * y[i] < 1) count++;
    count = block_sum(count, sums);
    if (threadIdx.x == 0) inside[blockIdx.x] = count;
}

// -- an Asian option, whose payoff is the mean price along a path: paths[step][path] --------------------------------

struct option {
    float spot, strike, riskless, volatility, years, years_a_step;
    int is_call;
};

KERNEL void asian_option(float *values, const float *paths, const option *options, unsigned count, unsigned steps)
{
    extern __shared__ float payoffs[];
    unsigned threads = gridDim.x * blockDim.x;
    option wanted = *options;
    float sum = 0;

#pragma unroll 1
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
        const float *price = paths + i;
        float mean = 0;
#pragma unroll 1
        for (unsigned step = 0; step < steps; step++, price += count) mean += *price;
        mean = mean * wanted.spot / steps;

        float payoff = fmaxf(0, wanted.is_call ? mean - wanted.strike : wanted.strike - mean);
        sum += __expf(-wanted.riskless * wanted.years) * payoff;
    }
    sum = block_sum(sum, payoffs);
    if (threadIdx.x == 0) values[blockIdx.x] = sum;
}
