// Host side of kernels/binomialOptions.cu: parameters of the lattice from market data.
#include "base/clones.h"
#include "workload/host.h"

#include <math.h>

enum { STEPS_MULTIPLE = 32 };

struct option { // as in the kernel's source
    float spot, strike, volatility_step, up, down;
};

// One level of the lattice, in place.
CLONES static void step_back(double up, double down, double *node, int last)
{
    for (int i = 0; i <= last; i++) node[i] = up * node[i + 1] + down * node[i];
}

// The whole lattice, level by level.
static double value_of(const struct option *o, double *node, int steps)
{
    for (int i = 0; i <= steps; i++) {
        double price = (double)o->spot * exp((double)o->volatility_step * (2.0 * i - steps));
        node[i] = fmax(price - (double)o->strike, 0);
    }
    for (int last = steps - 1; last >= 0; last--) step_back((double)o->up, (double)o->down, node, last);
    return node[0];
}

void workload_run_binomialOptions(struct host *h)
{
    static const struct {
        int options, steps; // steps: a multiple of STEPS_MULTIPLE
    } sizes[] = {{3, 512}, {4, 2048}, {40, 2048}, {512, 2048}, {73, 2048}};
    const int steps = sizes[h->size].steps, pitch = steps + STEPS_MULTIPLE;
    const unsigned count = (unsigned)sizes[h->size].options;
    const double riskless = 0.02, volatility = 0.30;

    struct option *options = HOST_ARRAY(h, struct option, count);
    const float *spot = host_random_f32(h, count, 20, 40), *strike = host_random_f32(h, count, 15, 45);
    const float *years = host_random_f32(h, count, 0.25f, 10);
    for (unsigned i = 0; i < count; i++) {
        double step = (double)years[i] / steps, discount = exp(-riskless * step);
        double rise = exp(volatility * sqrt(step)), fall = 1 / rise;
        double up = (1 / discount - fall) / (rise - fall);
        options[i] = (struct option){spot[i], strike[i], (float)(volatility * sqrt(step)),
                                     (float)(up * discount), (float)((1 - up) * discount)};
    }

    host_set_symbol(h, "options", options, count * sizeof(struct option));
    uint64_t level = host_alloc(h, count * (size_t)pitch * sizeof(float));
    uint64_t value = host_alloc(h, count * sizeof(float));
    host_launch(h, "binomial_options", DIM(count), DIM(256), 0, ARG(level), ARG(value), ARG(steps),
                ARG(pitch));
    const float *got = host_output(h, value, count * sizeof(float));
    if (h->failed) return;

    double *want = HOST_ARRAY(h, double, count), *node = HOST_ARRAY(h, double, steps + 1);
    for (unsigned i = 0; i < count; i++) want[i] = value_of(&options[i], node, steps);
    host_compare_f32(h, "value of option", got, want, count, 1);
}
