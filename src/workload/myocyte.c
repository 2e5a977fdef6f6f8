// Host side of kernels/myocyte.cu: cells at rest receive a stimulus, in some cells too weak for a beat.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 32, GATES = 6, STATES = GATES + 2 };

static const float rates[GATES][2][7] = { // Beeler and Reuter's table 1: x1, m, h, j, d, f
    {{0.0005f, 0.083f, 50, 0, 0, 0.057f, 1}, {0.0013f, -0.06f, 20, 0, 0, -0.04f, 1}},
    {{0, 0, 47, -1, 47, -0.1f, -1}, {40, -0.056f, 72, 0, 0, 0, 0}},
    {{0.126f, -0.25f, 77, 0, 0, 0, 0}, {1.7f, 0, 22.5f, 0, 0, -0.082f, 1}},
    {{0.055f, -0.25f, 78, 0, 0, -0.2f, 1}, {0.3f, 0, 32, 0, 0, -0.1f, 1}},
    {{0.095f, -0.01f, -5, 0, 0, -0.072f, 1}, {0.07f, -0.017f, 44, 0, 0, 0.05f, 1}},
    {{0.012f, -0.008f, 28, 0, 0, 0.15f, 1}, {0.0065f, -0.02f, 30, 0, 0, -0.2f, 1}}};
static const double rest[STATES] = {0.0057, 0.011, 0.988, 0.975, 0.003, 0.994, 0.17, -84.57};

static double rate_at(const float *r, double v)
{
    double above = (double)r[0] * exp((double)r[1] * (v + (double)r[2])) + (double)r[3] * (v + (double)r[4]);
    return above / (exp((double)r[5] * (v + (double)r[2])) + (double)r[6]);
}

static void beat(double *state, double stimulus, double dt)
{
    const double *x = state, calcium = state[GATES], v = state[GATES + 1];
    double potassium = 4 * expm1(0.04 * (v + 85)) / (exp(0.08 * (v + 53)) + exp(0.04 * (v + 53)));
    potassium -= 0.2 * (v + 23) / expm1(-0.04 * (v + 23));
    double outward = x[0] * 0.8 * expm1(0.04 * (v + 77)) / exp(0.04 * (v + 35));
    double sodium = (4 * pow(x[1], 3) * x[2] * x[3] + 0.003) * (v - 50);
    double inward = 0.09 * x[4] * x[5] * (v + 82.3 + 13.0287 * log(calcium / 1e6));
    for (int i = 0; i < GATES; i++) {
        double opening = rate_at(rates[i][0], v), closing = rate_at(rates[i][1], v);
        state[i] += dt * (opening * (1 - state[i]) - closing * state[i]);
    }
    state[GATES] += dt * (0.07 * (0.1 - calcium) - 0.1 * inward);
    state[GATES + 1] = v - dt * (0.35 * potassium + outward + sodium + inward - stimulus);
}

void workload_run_myocyte(struct host *h)
{
    static const struct {
        int cells, steps;
    } sizes[] = {{40, 30}, {100, 2000}, {320, 2000}};
    const int cells = sizes[h->size].cells, steps = sizes[h->size].steps, until = 25;
    const float dt = 0.02f;
    const size_t count = (size_t)cells, trace_count = count * (size_t)steps;
    const float *stimuli = host_random_f32(h, count, 5, 60);
    float *states = HOST_ARRAY(h, float, STATES *cells);
    for (int i = 0; i < STATES * cells; i++) states[i] = (float)rest[i / cells];

    host_set_symbol(h, "rates", rates, sizeof rates);
    uint64_t device_states = host_upload(h, states, STATES * count * sizeof(float));
    uint64_t device_stimuli = host_upload(h, stimuli, count * sizeof(float));
    uint64_t trace = host_alloc(h, trace_count * sizeof(float));
    host_launch(h, "myocyte_beat", DIM(host_blocks(count, THREADS)), DIM(THREADS), 0, ARG(device_states),
                ARG(trace), ARG(device_stimuli), ARG(cells), ARG(steps), ARG(until), ARG(dt));
    const float *got_states = host_output(h, device_states, STATES * count * sizeof(float));
    const float *got = host_output(h, trace, trace_count * sizeof(float));
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, trace_count), *want_states = HOST_ARRAY(h, double, STATES *cells);
    for (int cell = 0; cell < cells; cell++) {
        double state[STATES];
        for (int i = 0; i < STATES; i++) state[i] = (double)(float)rest[i];
        for (int step = 0; step < steps; step++) {
            beat(state, step < until ? (double)stimuli[cell] : 0, (double)dt);
            want[step * cells + cell] = state[GATES + 1];
        }
        for (int i = 0; i < STATES; i++) want_states[i * cells + cell] = state[i];
    }
    host_compare_f32(h, "state of a cell", got_states, want_states, STATES * count, 100);
    host_compare_f32(h, "potential", got, want, trace_count, 100);
}
