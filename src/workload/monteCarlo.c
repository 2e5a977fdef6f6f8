// Host side of kernels/monteCarlo.cu.
#include "workload/host.h"

#include <math.h>

enum { THREADS = 384 };

struct option { // as in the kernel's source
    float start, strike, drift, volatility;
};

static uint32_t scattered(uint32_t x)
{
    for (int i = 0; i < 2; i++) x = (x >> 16 ^ x) * 0x45d9f3bu;
    return x >> 16 ^ x;
}

static double uniform(uint32_t bits) { return (bits / 512 + 0.5) / 8388608; }

// The option's payoff on one path.
static double follow(const struct option *o, uint32_t number, int steps)
{
    const double pi = acos(-1);
    double logarithm = 0, prices = 0;
    uint32_t state = scattered(number);
    for (int step = 0; step < steps; step += 2) {
        uint32_t first = scattered(state + (uint32_t)step);
        double radius = sqrt(-2 * log(uniform(first))), angle = 2 * pi * uniform(scattered(first ^ state));
        for (int k = 0; k < 2; k++) {
            double normal = radius * (k ? sin(angle) : cos(angle));
            logarithm += (double)o->drift + (double)o->volatility * normal;
            prices += exp(logarithm);
        }
    }
    return fmax((double)o->start * prices / steps - (double)o->strike, 0);
}

void workload_run_monteCarlo(struct host *h)
{
    static const struct {
        unsigned options, blocks;
        int paths, steps;
    } sizes[] = {{2, 1, 500, 4}, {16, 2, 2304, 8}, {32, 8, 6144, 16}};
    const unsigned options = sizes[h->size].options, blocks = sizes[h->size].blocks;
    const int paths = sizes[h->size].paths, steps = sizes[h->size].steps;
    const int option_count = (int)options, threads = (int)blocks * THREADS;
    const size_t count = options * (size_t)threads;

    struct option *list = HOST_ARRAY(h, struct option, options);
    for (unsigned i = 0; i < options; i++) {
        const float *r = host_random_f32(h, 3, 0, 1);
        list[i] = (struct option){20 + 10 * r[0], 18 + 8 * r[1], 0.001f, 0.02f + 0.03f * r[2]};
    }
    uint64_t device_options = host_upload(h, list, options * sizeof *list);
    uint64_t sums = host_alloc(h, count * sizeof(float)), values = host_alloc(h, options * sizeof(float));
    host_launch(h, "monte_carlo_paths", DIM(blocks, options), DIM(THREADS), 0, ARG(sums), ARG(device_options),
                ARG(paths), ARG(steps));
    host_launch(h, "monte_carlo_mean", DIM(host_blocks(options, THREADS)), DIM(THREADS), 0, ARG(values),
                ARG(sums), ARG(option_count), ARG(threads), ARG(paths));
    const float *got_sums = host_output(h, sums, count * sizeof(float));
    const float *got = host_output(h, values, options * sizeof(float));
    if (h->failed) return;

    double *want_sums = HOST_ARRAY(h, double, count), *want = HOST_ARRAY(h, double, options);
    for (unsigned i = 0; i < options; i++)
        for (int path = 0; path < paths; path++) {
            double pays = follow(&list[i], (uint32_t)(path + 1) + i * (uint32_t)paths, steps);
            want_sums[i * (unsigned)threads + (unsigned)(path % threads)] += pays;
            want[i] += pays / paths;
        }
    host_compare_f32(h, "sum of a thread", got_sums, want_sums, count, 10);
    host_compare_f32(h, "value of an option", got, want, options, 1);
}
