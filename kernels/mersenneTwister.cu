// Random numbers by thousands of small Mersenne twisters, one a thread and each with parameters of its own (Matsumoto and
// Nishimura 1998 and 2000; a state of 607 bits), then pairs of them made normal variates (Box and Muller 1958). Every thread
// goes through its state, which is in local memory, in a long loop; its numbers lie as far apart as there are threads.
#include "device.h"

#define WORDS  19
#define MIDDLE 9

struct twister {
    unsigned matrix, mask_b, mask_c, seed;
};

__device__ __forceinline__ int wrapped(int i) { return i >= WORDS ? i - WORDS : i; }

KERNEL void twister_generate(float *out, const struct twister *twisters, int each)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const struct twister own = twisters[thread];
    unsigned state[WORDS];

    state[0] = own.seed;
    for (int i = 1; i < WORDS; i++) state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;

    int here = 0;
    unsigned word = state[0];
    for (int i = 0; i < each; i++) {
        int next = wrapped(here + 1);
        unsigned after = state[next];
        unsigned x = (word & ~1u) | (after & 1u);
        x = state[wrapped(here + MIDDLE)] ^ (x >> 1) ^ (x & 1 ? own.matrix : 0);
        state[here] = x;
        here = next;
        word = after;

        x ^= x >> 12;
        x ^= x << 7 & own.mask_b;
        x ^= x << 15 & own.mask_c;
        x ^= x >> 18;
        out[thread + i * threads] = ((float)x + 1.0f) * 2.3283064365386963e-10f; // in (0, 1]
    }
}

// In place; `pairs` of every thread.
KERNEL void twister_normal(float *numbers, int pairs)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    for (int i = 0; i < pairs; i++) {
        float *first = &numbers[thread + 2 * i * threads], *second = first + threads;
        float radius = sqrtf(-2.0f * logf(*first)), angle = 6.28318531f * *second;
        *first = radius * __cosf(angle);
        *second = radius * __sinf(angle);
    }
}
