// Cells of a heart's ventricle (Beeler and Reuter 1977, in place of the 91 equations of the suite's model): a cell a thread, 32 threads
// a block, eight equations and as many gates' rates a step, all of a thread's own and long chains of exponentials among them.
// State stands in memory between steps, a number of every cell beside the next cell's:
//
//      gates x1 m h j d f, calcium, potential          a step: rates of gates from the potential, currents, sum
#include "device.h"

#define THREADS 32
#define GATES   6
#define STATES  (GATES + 2)

// (a·exp(b(V+c)) + d(V+e)) / (exp(f(V+c)) + g), a gate's opening and closing
struct rate {
    float a, b, c, d, e, f, g;
};

__constant__ rate rates[GATES][2];

__device__ __forceinline__ float rate_at(const rate *r, float v)
{
    return (r->a * expf(r->b * (v + r->c)) + r->d * (v + r->e)) / (expf(r->f * (v + r->c)) + r->g);
}

// states: STATES numbers of `cells` cells; trace: the potential after every step; stimuli: a current until step `until`.
KERNEL void myocyte_beat(float *states, float *trace, const float *stimuli, int cells, int steps, int until,
                         float dt)
{
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    if (cell >= cells) return;
    const float stimulus = stimuli[cell];
    for (int step = 0; step < steps; step++) {
        float calcium = states[GATES * cells + cell], v = states[(GATES + 1) * cells + cell], gate[GATES];
#pragma unroll
        for (int i = 0; i < GATES; i++) {
            float old = states[i * cells + cell], opening = rate_at(&rates[i][0], v);
            gate[i] = old;
            states[i * cells + cell] = old + dt * (opening - old * (opening + rate_at(&rates[i][1], v)));
        }
        float half = expf(0.04f * (v + 53.0f));
        float potassium = 0.35f * (4.0f * (expf(0.04f * (v + 85.0f)) - 1.0f) / (half * half + half) +
                                   0.2f * (v + 23.0f) / (1.0f - expf(-0.04f * (v + 23.0f))));
        float outward = gate[0] * 0.8f * (expf(0.04f * (v + 77.0f)) - 1.0f) / expf(0.04f * (v + 35.0f));
        float sodium = (4.0f * gate[1] * gate[1] * gate[1] * gate[2] * gate[3] + 0.003f) * (v - 50.0f);
        float inward = 0.09f * gate[4] * gate[5] * (v + 82.3f + 13.0287f * logf(calcium * 1.0e-6f));
        float current = potassium + outward + sodium + inward - (step < until ? stimulus : 0.0f);
        v -= dt * current;
        // In millionths.
        states[GATES * cells + cell] = calcium + dt * (0.07f * (0.1f - calcium) - 0.1f * inward);
        states[(GATES + 1) * cells + cell] = v;
        trace[step * cells + cell] = v;
    }
}
